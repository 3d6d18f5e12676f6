"""Tables of series, as users have them."""

from zoo.data.series.reading import ReadingOptions
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.tasks.options.common import TaskSettings


def reading_options(settings: TaskSettings, learned: SeriesPreprocessor | None) -> ReadingOptions:
    """How a table is read: as the settings say, or else like the training data."""
    values = settings.values()
    if learned is None:
        return ReadingOptions.of(values)
    targets = tuple(learned.targets)
    return ReadingOptions.of(values, layout=learned.layout, targets=targets, clock=learned.clock)
