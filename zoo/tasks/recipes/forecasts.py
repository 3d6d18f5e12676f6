"""The training of forecasters."""

from collections.abc import Mapping
from functools import partial

from zoo.data.batching.series import SeriesWindows
from zoo.data.series.series import VALUES, SeriesSet
from zoo.data.series.windows import contexts
from zoo.heads.quantiles import QuantilesHead
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.preprocessing.static import encode_static
from zoo.registry.metrics import FORECASTS
from zoo.tasks.answers.forecasts import FittedSeries, origins_to_score, rows_at
from zoo.tasks.baselines.forecasts import ROWS, ForecastBaselines
from zoo.tasks.baselines.sampling import sampled
from zoo.tasks.measuring import Judged
from zoo.tasks.options.series_forecaster import STEPS, Training
from zoo.tasks.parts import Baselines, Recipe
from zoo.training.objective import Objective
from zoo.training.quantiles import PinballLoss

VALIDATION = 1000  # number of forecasts above which they are further apart


class SeriesBaselines(Baselines[FittedSeries, SeriesSet, ForecastBaselines]):
    """Seasonal-naive forecasts and ridge regression, on windows of the training data."""

    loader = ForecastBaselines.load

    def fit(self, examples: SeriesSet, fitted: FittedSeries) -> ForecastBaselines:
        settings = fitted.settings
        batches = windows(examples, fitted.preprocessor, Training())
        batch = batches.at(sampled(len(batches.origins), ROWS))
        season, levels = settings.seasonality or 1, settings.quantiles
        return ForecastBaselines.fit(batch[VALUES], batch["labels"], season, levels)

    def judged(
        self, learned: ForecastBaselines, examples: SeriesSet, fitted: FittedSeries
    ) -> Mapping[str, Judged]:
        settings, preprocessor = fitted.settings, fitted.preprocessor
        if examples.horizon != preprocessor.horizon:  # which is what baselines forecast
            return {}
        examples = examples.with_forecasts(settings.windows or 1)
        preprocessor.check(examples)
        origins = origins_to_score(examples, preprocessor.context)
        forecasts = learned.forecast(contexts(examples.series, origins, preprocessor.context))
        return {
            name: {FORECASTS: partial(rows_at, examples, origins, quantiles, settings)}
            for name, quantiles in forecasts.items()
        }


class ForecastRecipe(Recipe[FittedSeries, Training, SeriesSet, QuantilesHead]):
    """Batches of windows; a model starts from the linear baseline.

    It is validated with forecasts from every held-out step, since the few that are a horizon apart
    say little of which epoch is the best. It does not stop early: the best epochs are often among
    the last, with the smallest learning rates, long after the start, which the baseline is.
    """

    baselines = SeriesBaselines()
    min_steps = STEPS

    def batches(
        self,
        examples: SeriesSet,
        fitted: FittedSeries,
        head: QuantilesHead,
        training: Training,
        held_out: bool,
    ) -> SeriesWindows:
        if not held_out:
            return windows(examples, fitted.preprocessor, training)
        examples = examples.with_forecasts(fitted.settings.windows or 1)
        horizon = fitted.preprocessor.horizon
        every = -(-horizon * sum(examples.held_out) // VALIDATION)
        return windows(examples, fitted.preprocessor, training, min(every, horizon))

    def objective(self, head: QuantilesHead, training: Training) -> Objective:
        return Objective(loss={"scaled": PinballLoss(head.levels)})

    def start_from(self, baselines: ForecastBaselines, fitted: FittedSeries) -> None:
        weights, levels = baselines.weights[:-1], baselines.weights[-1][:, None]
        fitted.model.start_from(weights, levels + baselines.linear_errors)


def windows(
    examples: SeriesSet,
    preprocessor: SeriesPreprocessor,
    training: Training,
    every: int | None = None,
) -> SeriesWindows:
    """Batches of windows of series, with held-out forecasts so many steps apart, or a horizon.

    Raises:
        UserError: If series do not have the columns of the training data, or all are too short.
    """
    preprocessor.check(examples)
    static = encode_static(preprocessor.static, [each.static for each in examples.series])
    return SeriesWindows(
        examples,
        preprocessor.features,
        preprocessor.horizon,
        static,
        training.batch_size,
        training.windows_per_epoch,
        training.seed,
        every,
    )
