"""Series whose next values are forecast, as the input of a model."""

from dataclasses import replace
from typing import Any

from zoo.data.series.series import SeriesSet
from zoo.models.series_model import SeriesModel
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.tasks.formats.series import SERIES
from zoo.tasks.inputs.series import SeriesInput
from zoo.tasks.options.series_forecaster import Settings
from zoo.tasks.parts import Learned

SEASONS, LONGEST = 3, 512  # in the context by default, and its greatest length


def _learn(examples: SeriesSet, settings: Settings) -> Learned[Settings, SeriesPreprocessor]:
    """Reads the last values of a series, with covariates, before a forecast."""
    horizon, context = settings.horizon or examples.horizon, settings.context_length
    if context is None:
        usual = SEASONS * max(settings.seasonality or 1, horizon)
        longest = max(map(len, examples.series)) - horizon
        context = max(1, min(usual, LONGEST, longest))
    preprocessor = SeriesPreprocessor.of(examples, context, horizon)
    return Learned(replace(settings, context_length=context), preprocessor)


def _sizes(preprocessor: SeriesPreprocessor) -> dict[str, Any]:
    return {
        "context_length": preprocessor.context,
        "horizon": preprocessor.horizon,
        "num_targets": len(preprocessor.targets),
        "known_scaling": preprocessor.known_scaling,
        "num_static": sum(column.width for column in preprocessor.static) or None,
    }


FORECAST_SERIES: SeriesInput[Settings, SeriesModel, SeriesSet] = SeriesInput(
    SERIES.read, _learn, _sizes, lambda examples: examples
)
