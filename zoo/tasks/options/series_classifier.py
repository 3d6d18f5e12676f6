"""Options of the classification of series."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import LabelSettings, TaskSettings
from zoo.tasks.options.series_forecaster import FORECAST, TimeOptions, columns
from zoo.tasks.options.table_columns import DATA, TableOptions
from zoo.training.options import OPTIMIZATION, TrainingOptions, at_least, epochs

STEPS = 1000  # minimum number of training steps if the number of epochs is not given


@dataclass(kw_only=True)
class LabeledSeriesColumns:
    """How tables of series with labels are read."""

    series_column: str | None = option(
        None,
        "Column of the names of series. Default: detected by its name; without it, each file is "
        "one series.",
        group=DATA,
    )
    value_column: str | None = columns(
        "values of each step", "the one with a usual name, or else all other columns of numbers"
    )
    label_column: str | None = option(
        None,
        "Column of the labels, which do not change within a series. Default: detected by its name.",
        group=DATA,
    )


@dataclass(kw_only=True)
class Settings(LabelSettings, TaskSettings, LabeledSeriesColumns, TimeOptions, TableOptions):
    """Settings of a classifier of series."""

    model: str = "series_classifier"
    context_length: int | None = option(
        None,
        "Number of values of a series that the model reads: the last ones. Default: the length of "
        "the longest series, but at most 1024.",
        minimum=1,
        group=FORECAST,
    )


@dataclass(kw_only=True)
class Training(TrainingOptions):
    """Training options of a classifier of series."""

    epochs: int | None = epochs(at_least(STEPS))
    batch_size: int = option(32, "Number of series in a batch.", minimum=1, group=OPTIMIZATION)
    label_smoothing: float = option(
        0.0, "Label smoothing factor.", minimum=0, below=1, group=OPTIMIZATION
    )
