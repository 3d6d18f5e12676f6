"""Series with labels, as users have them."""

from typing import Any

from zoo.data.series.labeled import LabeledSeries, read_labeled_series
from zoo.data.series.reading import ReadingOptions
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.tasks.formats.series import reading_options
from zoo.tasks.options.series_classifier import Settings
from zoo.tasks.parts import Format


class LabeledSeriesFormat(Format[Settings, SeriesPreprocessor, LabeledSeries]):
    """A table with a row for each step, or an `.npz` file."""

    def read(
        self, data: Any, settings: Settings, learned: SeriesPreprocessor | None
    ) -> LabeledSeries:
        return read_labeled_series(data, labeled_options(settings, learned), settings.label_column)


def labeled_options(settings: Settings, learned: SeriesPreprocessor | None) -> ReadingOptions:
    """How a table of series with labels is read."""
    return reading_options(settings, learned).with_names(target=settings.value_column)
