"""Options shared by the tasks on whole series."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.series_forecaster import FORECAST, columns
from zoo.tasks.options.table_columns import DATA
from zoo.training.options import OPTIMIZATION, at_least, epochs

STEPS = 1000  # minimum number of training steps if the number of epochs is not given


@dataclass(kw_only=True)
class WholeSeriesColumns:
    """How tables of whole series are read."""

    series_column: str | None = option(
        None,
        "Column of the names of series. Default: detected by its name; without it, each file is "
        "one series.",
        group=DATA,
    )
    value_column: str | None = columns(
        "values of each step", "the one with a usual name, or else all other columns of numbers"
    )


@dataclass(kw_only=True)
class WholeSeriesSettings:
    """Settings of tasks on whole series."""

    context_length: int | None = option(
        None,
        "Number of values of a series that the model reads: the last ones. Default: the length of "
        "the longest series, but at most 1024.",
        minimum=1,
        group=FORECAST,
    )


@dataclass(kw_only=True)
class WholeSeriesTraining:
    """Training options of tasks on whole series."""

    epochs: int | None = epochs(at_least(STEPS))
    batch_size: int = option(32, "Number of series in a batch.", minimum=1, group=OPTIMIZATION)
