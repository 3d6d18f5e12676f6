"""Tables of series, as users have them: with labels, or to forecast."""

from dataclasses import replace
from typing import Any

from zoo.data.series.labeled import LabeledSeries, read_labeled_series
from zoo.data.series.read import read_series
from zoo.data.series.reading import ReadingOptions
from zoo.data.series.series import SeriesSet
from zoo.options import values_of
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.tasks.formats.in_memory import InMemoryFormat
from zoo.tasks.options.common import TaskSettings
from zoo.tasks.options.series_classifier import Settings as ClassifierSettings
from zoo.tasks.options.series_forecaster import Settings as ForecasterSettings

HORIZON = 12  # by default, without seasons


def labeled_options(
    settings: ClassifierSettings, learned: SeriesPreprocessor | None
) -> ReadingOptions:
    """How a table of series with labels is read."""
    return _options(settings, learned).with_names(target=settings.value_column)


def _options(settings: TaskSettings, learned: SeriesPreprocessor | None) -> ReadingOptions:
    """How a table is read: as the settings say, or else like the training data."""
    values = values_of(settings)
    if learned is None:
        return ReadingOptions.of(values)
    targets = tuple(learned.targets)
    return ReadingOptions.of(values, layout=learned.layout, targets=targets, clock=learned.clock)


def _labeled(
    data: Any, settings: ClassifierSettings, learned: SeriesPreprocessor | None
) -> LabeledSeries:
    return read_labeled_series(data, labeled_options(settings, learned), settings.label_column)


def _to_forecast(
    data: Any, settings: ForecasterSettings, learned: SeriesPreprocessor | None
) -> SeriesSet:
    series = read_series(data, _options(settings, learned))
    return replace(series, horizon=settings.horizon or HORIZON)


LABELED_SERIES: InMemoryFormat[ClassifierSettings, SeriesPreprocessor, LabeledSeries] = (
    InMemoryFormat(_labeled)
)
SERIES: InMemoryFormat[ForecasterSettings, SeriesPreprocessor, SeriesSet] = InMemoryFormat(
    _to_forecast
)
