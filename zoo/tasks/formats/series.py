"""Tables of series, as users have them."""

from dataclasses import replace
from typing import Any

from zoo.data.series.read import read_series
from zoo.data.series.reading import ReadingOptions
from zoo.data.series.series import SeriesSet
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.tasks.options.common import TaskSettings
from zoo.tasks.options.series_forecaster import Settings
from zoo.tasks.parts import Format

HORIZON = 12  # by default, without seasons


class ForecastFormat(Format[Settings, SeriesPreprocessor, SeriesSet]):
    """A table with a row for each step, or series in memory, whose next values are forecast."""

    def read(self, data: Any, settings: Settings, learned: SeriesPreprocessor | None) -> SeriesSet:
        series = read_series(data, reading_options(settings, learned))
        return replace(series, horizon=settings.horizon or HORIZON)


def reading_options(settings: TaskSettings, learned: SeriesPreprocessor | None) -> ReadingOptions:
    """How a table is read: as the settings say, or else like the training data."""
    values = settings.values()
    if learned is None:
        return ReadingOptions.of(values)
    targets = tuple(learned.targets)
    return ReadingOptions.of(values, layout=learned.layout, targets=targets, clock=learned.clock)
