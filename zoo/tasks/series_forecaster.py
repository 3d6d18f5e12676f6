"""Forecasting: from series to quantiles of their next values."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from zoo.data.batching.series import SeriesWindows, places_of
from zoo.data.series.read import read_series
from zoo.data.series.series import VALUES, Series, SeriesSet
from zoo.data.series.windows import contexts, futures
from zoo.errors import UserError
from zoo.heads.forecast_scores import score_forecasts, seasonal_error
from zoo.heads.quantiles import QuantilesHead
from zoo.options import Options
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.preprocessing.static import encode_static
from zoo.serving.inference import Inference, Run, Tensors
from zoo.tasks.attending import ATTENTION
from zoo.tasks.forecast_baselines import ROWS, ForecastBaselines
from zoo.tasks.forecast_views import ForecastViews
from zoo.tasks.options import series_forecaster as options
from zoo.tasks.recursive_forecasts import forecast_further
from zoo.training.objective import Objective
from zoo.training.quantiles import PinballLoss

HORIZON = 12  # by default, without seasons
SEASONS, LONGEST = 3, 512  # in the context by default, and its greatest length


class SeriesForecaster(ForecastViews):
    """Forecasts quantiles of the next values of series.

    It learns from one or several series, which may have missing values and covariates. `predict`
    takes a list of arrays or a table, and returns for each series an array of quantiles (H, Q), or
    (H, C, Q) for several targets.

    Source: Wen et al. 2017.

    Example:
        >>> import numpy as np, zoo
        >>> wave = 5 + np.sin(np.arange(97) * np.pi / 2)
        >>> task = zoo.SeriesForecaster(horizon=4, seasonality=4, quantiles=[0.1, 0.5, 0.9])
        >>> task.adapt([wave])
        >>> history = task.fit([wave], epochs=2, xla=False, verbose=False)
        >>> task.predict([wave])[0].shape
        (4, 3)
    """

    name = "series-forecaster"
    predict_options: ClassVar[type[Options]] = options.ForecastOptions
    Settings = options.Settings
    Training = options.Training
    min_steps: ClassVar[int] = options.STEPS
    purposes: ClassVar = {
        SeriesPreprocessor.feature_signature: "Forecasts quantiles of the next values of series.",
        ATTENTION: "Shows at which steps each step looks, in every layer and head.",
    }
    preview_explanation: ClassVar[str] = "Forecasts of the last values of series, and these values."
    one_answer: ClassVar[bool] = False
    baselines: ForecastBaselines | None = None

    def check_settings(self) -> None:
        levels = self.settings.quantiles
        numbers = all(type(level) in (int, float) for level in levels)
        rising = numbers and all(a < b for a, b in pairwise([0, *levels, 1]))
        if not levels or not rising:
            raise UserError(
                f"quantiles must be numbers that rise, above 0 and below 1, got {levels!r:.80}"
            )

    # --- Data ---

    def read(self, data: Any) -> SeriesSet:
        return replace(read_series(data, self.columns()), horizon=self.settings.horizon or HORIZON)

    def series_set(self, data: Any) -> SeriesSet:
        return self.read(data)

    def read_to_evaluate(self, data: Any, **options: Any) -> SeriesSet:
        return self._with_forecasts(self.read(data))

    def folds(self, examples: SeriesSet, count: int) -> list[SeriesSet]:
        return []  # a forecast is not independent of the one before it

    def learn(self, examples: SeriesSet) -> SeriesPreprocessor:
        settings = self.settings
        if settings.seasonality is None:
            settings.seasonality = examples.clock.season
        if settings.horizon is None:
            settings.horizon = settings.seasonality if settings.seasonality > 1 else HORIZON
        if settings.context_length is None:
            usual = SEASONS * max(settings.seasonality, settings.horizon)
            longest = max(map(len, examples.series)) - settings.horizon
            settings.context_length = max(1, min(usual, LONGEST, longest))
        return SeriesPreprocessor.of(examples, settings.context_length, settings.horizon)

    def model_sizes(self) -> dict[str, Any]:
        preprocessor = self.preprocessor
        return {
            "context_length": preprocessor.context,
            "horizon": preprocessor.horizon,
            "num_targets": len(preprocessor.targets),
            "quantiles": self.settings.quantiles,
            "known_scaling": preprocessor.known_scaling,
            "num_static": sum(column.width for column in preprocessor.static) or None,
        }

    def _with_forecasts(self, examples: SeriesSet) -> SeriesSet:
        """The series, of which at least the last values are to be forecast."""
        if examples.held_out:
            return examples
        return replace(examples, held_out=[self.settings.windows] * len(examples.series))

    # --- Training ---

    def batches(self, examples: SeriesSet, training: Any, held_out: bool = False) -> SeriesWindows:
        examples = self._with_forecasts(examples) if held_out else examples
        self.preprocessor.check(examples)
        static = encode_static(self.preprocessor.static, [x.static for x in examples.series])
        return SeriesWindows(
            examples,
            self.preprocessor.features,
            self.preprocessor.horizon,
            static,
            training.batch_size,
            training.windows_per_epoch,
            training.seed,
        )

    def objective(self, training: Any) -> Objective:
        return Objective(loss={"scaled": PinballLoss(self.settings.quantiles)})

    def fit_baselines(self, examples: SeriesSet) -> None:
        windows = self.batches(examples, self.Training(batch_size=ROWS, windows_per_epoch=ROWS))
        batch = next(windows.columns())
        self.baselines = ForecastBaselines.fit(
            batch[VALUES], batch["labels"], self.settings.seasonality, self.settings.quantiles
        )
        self.model.start_from(self.baselines.weights[:-1])

    def baseline_scores(self, examples: SeriesSet) -> dict[str, float]:
        if self.baselines is None:
            return {}
        examples, places = self._places(examples)
        found = self.baselines.forecast(
            contexts(examples.series, places, self.preprocessor.context)
        )
        return {
            f"{name}_{metric}": value
            for name, forecasts in found.items()
            for metric, value in self._score(examples, places, forecasts).items()
        }

    def save_parts(self, folder: Path) -> None:
        super().save_parts(folder)
        if self.baselines is not None:
            self.baselines.save(folder)

    def load_parts(self, folder: Path) -> None:
        self.baselines = ForecastBaselines.load(folder)

    # --- Inference ---

    @property
    def head(self) -> QuantilesHead:
        preprocessor = self.preprocessor
        return QuantilesHead(self.settings.quantiles, preprocessor.targets, preprocessor.horizon)

    def inferences(self, **_: Any) -> dict[str, Inference]:
        preprocessor = self.preprocessor
        features = preprocessor.features

        def compute(inputs: Tensors) -> Tensors:
            return {"forecast": self.model(inputs)["forecast"]}

        units = {"forecast": VALUES}
        forecast = Inference(features, dict, compute, self.head.axes, units)
        found = {preprocessor.feature_signature: forecast}
        return found | self.attention_inferences()

    @property
    def meanings(self) -> dict[str, str]:
        return {**super().meanings, **self.attention_meanings}

    def predict(self, data: Any, batch_size: int = 64, **given: Any) -> list[np.ndarray]:
        """Forecasts quantiles of the next values of each series.

        Args:
            data: A table, or a list of arrays or of `zoo.Series`.
            batch_size: Number of series at a time.
            **given: See `zoo.tasks.options.series_forecaster.ForecastOptions`.

        Returns:
            For each series an array (steps, Q) of quantiles, or (steps, C, Q) for C targets.
        """
        chosen = options.ForecastOptions.of(given, self.name)
        series, steps = self.series_of(data), chosen.steps or self.preprocessor.horizon
        found = self._forecast(series, steps, self.runner(), chosen.seed, batch_size)
        return [self.result({"forecast": each}) for each in found]

    def evaluate(self, data: Any, **given: Any) -> dict[str, float]:
        """Computes the metrics of the last forecasts of each series.

        Args:
            data: Series, in the form that `fit` takes.
            **given: See `zoo.tasks.options.series_forecaster.ForecastOptions`. Baselines, which
                forecast a horizon, are left out if other steps are given.
        """
        chosen = options.ForecastOptions.of(given, self.name)
        if chosen.steps in (None, self.preprocessor.horizon):
            return super().evaluate(data)
        examples = replace(self.read_to_evaluate(data), horizon=chosen.steps)
        self.say_what_is_evaluated(data, examples)
        return self.keep_metrics(data, self._scores(examples, self.runner()))

    def score(self, examples: SeriesSet, run: Run) -> dict[str, float]:
        examples, places = self._places(examples)
        cut = [_before(examples.series[number], start) for number, start in places]
        return self._score(examples, places, self._forecast(cut, examples.horizon, run))

    def _forecast(
        self, series: list[Series], steps: int, run: Run, seed: int = 0, batch_size: int = 64
    ) -> np.ndarray:
        """Quantiles (N, steps, C, Q) of the next values of series."""

        def directly(known: list[Series]) -> np.ndarray:
            rows = self.predict_rows(self.preprocessor.raw(known), run, batch_size)
            return np.stack([row["forecast"] for row in rows])

        if steps == self.preprocessor.horizon:
            return directly(series) if series else np.zeros((0,))
        self.preprocessor.check_future(series, steps)
        context, levels = self.preprocessor.context, self.settings.quantiles
        return forecast_further(directly, series, steps, levels, context, seed)

    def _places(self, examples: SeriesSet) -> tuple[SeriesSet, np.ndarray]:
        """The forecasts to evaluate: those that have values before them and in them."""
        examples = self._with_forecasts(examples)
        self.preprocessor.check(examples)
        places = places_of(examples, self.preprocessor.context, examples.horizon)
        if not len(places):
            raise UserError(
                f"{examples.path} has no series with values before and in the last "
                f"{examples.horizon} steps, which are evaluated"
            )
        return examples, places

    def _score(
        self, examples: SeriesSet, places: np.ndarray, forecasts: np.ndarray
    ) -> dict[str, float]:
        true = futures(examples.series, places, examples.horizon)
        errors = [
            seasonal_error(examples.series[number].values[:start], self.settings.seasonality)
            for number, start in places
        ]
        return score_forecasts(true, forecasts, self.settings.quantiles, np.stack(errors))


def _before(series: Series, start: int) -> Series:
    """The series as it was before a forecast; covariates stay known."""
    return replace(series, values=series.values[:start])
