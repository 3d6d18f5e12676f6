"""Forecasts as the answer of a task: quantiles of the next values of series."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from zoo.data.batching.batches import Batches
from zoo.data.batching.series import origins_of
from zoo.data.series.forecasts import extent, shown_time
from zoo.data.series.series import VALUES, Series, SeriesSet
from zoo.data.series.windows import futures
from zoo.errors import UserError
from zoo.heads.head import Reader
from zoo.heads.quantiles import QuantilesHead, values_as_text
from zoo.metrics.forecasts import ForecastRows, middle, seasonal_error
from zoo.option_names import option_name
from zoo.options import options_of
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.registry.metrics import FORECASTS
from zoo.serving.inference import Inference, Tensors
from zoo.tasks.formats.series import with_horizon
from zoo.tasks.inputs.series import SeriesInput
from zoo.tasks.measuring import Judged
from zoo.tasks.options.series_forecaster import ForecastOptions, Settings
from zoo.tasks.parts import Answer, Fitted, Predictor, PreviewRow
from zoo.tasks.recursive_forecasts import forecast_further
from zoo.training.calibration import Tuned
from zoo.training.score_scaling import ScoreScaling
from zoo.training.spread import calibrate_spread

FittedSeries = Fitted[Settings, SeriesPreprocessor]
SeriesPredictor = Predictor[FittedSeries, QuantilesHead]

BATCH_SIZE = 64  # by default
DIGITS = 7  # of differences of levels


@dataclass(frozen=True)
class Forecasts(Answer[Settings, SeriesPreprocessor, SeriesSet, QuantilesHead]):
    """Quantiles of the next values of each series.

    Args:
        input: What the model reads.
    """

    input: SeriesInput[Settings, SeriesSet]
    one_answer = False
    independent = False  # a forecast depends on the one before it
    forecasts = True
    options = ForecastOptions

    def check(self, settings: Settings) -> None:
        levels = settings.quantiles
        numbers = all(type(level) in (int, float) for level in levels)
        rising = numbers and all(a < b for a, b in pairwise([0, *levels, 1]))
        if not levels or not rising:
            raise UserError(
                f"quantiles must be numbers that rise, above 0 and below 1, got {levels!r:.80}"
            )

    def learn(self, examples: SeriesSet, settings: Settings) -> Settings:
        return with_horizon(settings, examples.clock)

    def sizes(self, settings: Settings) -> dict[str, Any]:
        return {"quantiles": settings.quantiles, "season": settings.seasonality}

    def head(self, settings: Settings, preprocessor: SeriesPreprocessor) -> QuantilesHead:
        return QuantilesHead(settings.quantiles, preprocessor.targets, preprocessor.horizon)

    def scaled(self, head: QuantilesHead, scaling: ScoreScaling) -> QuantilesHead:
        return head.scaled(scaling)

    def calibration(self, fitted: FittedSeries, held_out: Batches) -> Tuned | None:
        levels, batches = fitted.settings.quantiles, held_out.dataset(shuffle=False)
        return calibrate_spread(fitted.model, batches, levels, middle(levels))

    def inferences(
        self, fitted: FittedSeries, head: QuantilesHead, reader: Reader, options: Mapping[str, Any]
    ) -> dict[str, Inference]:
        model = fitted.model

        def compute(inputs: Tensors) -> Tensors:
            return {"forecast": head.spread_out(model(inputs)["forecast"])}

        units = {"forecast": VALUES}
        return {reader.name: Inference(reader.features, reader.prepare, compute, head.axes, units)}

    def predict(
        self, predictor: SeriesPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> list[np.ndarray]:
        fitted, chosen = predictor.fitted, options_of(ForecastOptions, options)
        series = self.input.series(data, fitted.settings, fitted.preprocessor)
        steps = chosen.steps or fitted.preprocessor.horizon
        forecasts = forecast(predictor, series, steps, chosen.seed, batch_size)
        return [predictor.head.result({"forecast": each}) for each in forecasts]

    def preview(
        self, predictor: SeriesPredictor, examples: SeriesSet, count: int
    ) -> list[PreviewRow]:
        preprocessor = predictor.fitted.preprocessor
        if examples.held_out:
            return self._held_out(predictor, examples, count)
        horizon = preprocessor.horizon
        return [
            PreviewRow(
                series.name,
                predictor.head.text(quantiles),
                values_as_text(series.values[-horizon:]),
                before(series, len(series) - horizon),
            )
            for series, quantiles in last_forecasts(predictor, examples, count)
        ]

    def _held_out(
        self, predictor: SeriesPredictor, examples: SeriesSet, count: int
    ) -> list[PreviewRow]:
        """The first held-out forecasts, by the name of their series and their first time."""
        origins = origins_to_score(examples, predictor.fitted.preprocessor.context)[:count]
        known = [before(examples.series[number], start) for number, start in origins]
        forecasts = forecast(predictor, known, examples.horizon)
        true = futures(examples.series, origins, examples.horizon)
        return [
            PreviewRow(
                f"{each.name} from {shown_time(each, examples.clock, len(each))}",
                predictor.head.text(quantiles),
                values_as_text(values),
                each,
            )
            for each, quantiles, values in zip(known, forecasts, true, strict=True)
        ]

    def to_score(
        self, examples: SeriesSet, settings: Settings, options: Mapping[str, Any]
    ) -> SeriesSet:
        steps = options_of(ForecastOptions, options).steps or examples.horizon
        return replace(examples.with_forecasts(settings.windows or 1), horizon=steps)

    @property
    def more_rows(self) -> str:
        return f"evaluate several forecasts with {option_name('windows')}"

    def unseen(
        self,
        examples: SeriesSet,
        held_out: SeriesSet,
        settings: Settings,
        options: Mapping[str, Any],
    ) -> SeriesSet | None:
        if options:
            return None  # other steps than those of the training
        count = settings.windows
        if count is None:
            return held_out
        whole = [*map(len, held_out.series)] == [*map(len, examples.series)]
        fits = whole and all(count <= each for each in held_out.held_out)
        return examples.with_forecasts(count) if fits else None

    def extent(
        self, examples: SeriesSet, settings: Settings, preprocessor: SeriesPreprocessor
    ) -> str:
        return extent(examples, origins_to_score(examples, preprocessor.context))

    def aims(self, settings: Settings) -> Mapping[str, float]:
        levels = settings.quantiles
        return {"coverage": round(levels[-1] - levels[0], DIGITS)} if len(levels) > 1 else {}

    def judged(self, predictor: SeriesPredictor, examples: SeriesSet) -> Judged:
        fitted = predictor.fitted
        origins = origins_to_score(examples, fitted.preprocessor.context)
        seed = options_of(ForecastOptions, predictor.options).seed

        def rows() -> ForecastRows:
            series = [before(examples.series[number], start) for number, start in origins]
            forecasts = forecast(predictor, series, examples.horizon, seed)
            return rows_at(examples, origins, forecasts, fitted.settings)

        return {FORECASTS: rows}


def before(series: Series, start: int) -> Series:
    """The series as it was before a step; covariates stay known."""
    return replace(series, values=series.values[:start])


def forecast(
    predictor: SeriesPredictor,
    series: list[Series],
    steps: int,
    seed: int = 0,
    batch_size: int = BATCH_SIZE,
) -> np.ndarray:
    """Quantiles (N, steps, C, Q) of the next values of series.

    Args:
        predictor: Computes forecasts of a horizon.
        series: The series.
        steps: Number of steps; those after the horizon are forecast recursively.
        seed: Random seed of what is drawn for these.
        batch_size: Number of series at a time.

    Raises:
        UserError: If a series does not fit, or covariates of the steps are missing.
    """
    preprocessor, settings = predictor.fitted.preprocessor, predictor.fitted.settings

    def directly(known: list[Series]) -> np.ndarray:
        rows = predictor.rows(preprocessor.raw(known), batch_size)
        return np.stack([row["forecast"] for row in rows])

    if steps == preprocessor.horizon:
        return directly(series) if series else np.zeros((0,))
    preprocessor.check_future(series, steps)
    levels, context = settings.quantiles, preprocessor.context
    return forecast_further(directly, series, steps, levels, context, seed)


def last_forecasts(
    predictor: SeriesPredictor, examples: SeriesSet, count: int
) -> list[tuple[Series, np.ndarray]]:
    """The first series that have a last horizon to compare with, and forecasts of it.

    Args:
        predictor: Computes forecasts of a horizon.
        examples: The series.
        count: Maximum number of series.

    Returns:
        For each the whole series, and the quantiles (H, C, Q) of its last values.
    """
    preprocessor = predictor.fitted.preprocessor
    horizon, context = preprocessor.horizon, preprocessor.context
    long = [each for each in examples.series if len(each) > horizon][:count]
    pairs = [(each, before(each, len(each) - horizon)) for each in long]
    known = [(each, cut) for each, cut in pairs if not np.isnan(cut.values[-context:]).all()]
    forecasts = forecast(predictor, [cut for _, cut in known], horizon)
    return [(each, quantiles) for (each, _), quantiles in zip(known, forecasts, strict=True)]


def next_forecasts(
    predictor: SeriesPredictor, examples: SeriesSet, count: int
) -> list[tuple[Series, np.ndarray]]:
    """The first series, and the quantiles (H, C, Q) of the steps after their ends.

    Series without values to read, or without the covariates of these steps, are left out.

    Args:
        predictor: Computes forecasts of a horizon.
        examples: The series.
        count: Maximum number of series.
    """
    preprocessor = predictor.fitted.preprocessor
    pairs = []
    for each in examples.series[:count]:
        if not np.isnan(each.values[-preprocessor.context :]).all():
            with suppress(UserError):
                pairs.append((each, forecast(predictor, [each], preprocessor.horizon)[0]))
    return pairs


def origins_to_score(examples: SeriesSet, context: int) -> np.ndarray:
    """The forecasts to score, which have values before them and in them, as `origins_of` says.

    Args:
        examples: The series.
        context: Number of steps before a forecast.

    Raises:
        UserError: If there are none.
    """
    origins = origins_of(examples, context, examples.horizon)
    if not len(origins):
        raise UserError(
            f"{examples.path} has no series with values before and in the last "
            f"{examples.horizon} steps, which are evaluated"
        )
    return origins


def rows_at(
    examples: SeriesSet, origins: np.ndarray, forecasts: np.ndarray, settings: Settings
) -> ForecastRows:
    """Forecasts beside what came.

    Args:
        examples: The series.
        origins: The number of the series and the first step of each forecast, (N, 2).
        forecasts: Quantiles (N, H, C, Q).
        settings: The settings, with the season and the levels of the quantiles.
    """
    season = settings.seasonality or 1
    errors = [seasonal_error(examples.series[n].values[:start], season) for n, start in origins]
    true = futures(examples.series, origins, examples.horizon)
    errors_of_naive = np.stack(errors)
    return ForecastRows(true, forecasts, settings.quantiles, errors_of_naive, examples.targets)
