"""Options of forecasting."""

from dataclasses import dataclass

from zoo.data.series.duplicates import DUPLICATES, ERROR
from zoo.options import option
from zoo.tasks.options.common import TaskSettings
from zoo.tasks.options.table_columns import DATA, TableOptions, column
from zoo.training.options import OPTIMIZATION, TrainingOptions, at_least, epochs

FORECAST = "Forecast"
STEPS = 1000  # minimum number of training steps if the number of epochs is not given


def columns(what: str, default: str) -> str | None:
    """An option that names one or several columns."""
    text = f"Columns of the {what}, with commas between several. Default: {default}."
    return option(None, text, group=DATA)


@dataclass(kw_only=True)
class TimeOptions:
    """How the times of series are read."""

    time_column: str | None = column("times: dates, or whole numbers that rise")
    date_format: str | None = option(
        None,
        "How dates are written, as for strptime: %d/%m/%Y. Default: decided by the whole column.",
        group=DATA,
    )
    duplicates: str = option(
        ERROR,
        "How to treat rows of a series with the same time: error refuses them, mean takes the "
        "mean of their values, sum their sum (of known covariates the mean), last the last row.",
        choices=DUPLICATES,
        group=DATA,
    )


@dataclass(kw_only=True)
class SeriesColumns:
    """How tables of series are read, and which of their values are evaluated."""

    series_column: str | None = option(
        None,
        "Column of the names of series. Default: detected by its name; without it, each file is "
        "one series.",
        group=DATA,
    )
    target_column: str | None = columns(
        "values to forecast", "the one with a usual name, or else all other columns of numbers"
    )
    known_column: str | None = columns("covariates that are known in the future", "none")
    static_column: str | None = columns(
        "static covariates: numbers or categories that do not change in a series", "none"
    )
    windows: int | None = option(
        None,
        "Number of forecasts of each series to evaluate: the last ones, each a horizon after the "
        "one before it. Default: 1; of the training data, those that were held out.",
        minimum=1,
        group=DATA,
    )


@dataclass(kw_only=True)
class Settings(TaskSettings, SeriesColumns, TimeOptions, TableOptions):
    """Settings of a forecaster."""

    model: str = "series_model"
    horizon: int | None = option(
        None,
        "Number of steps to forecast. Default: a season, or 12 if there is none.",
        minimum=1,
        group=FORECAST,
    )
    context_length: int | None = option(
        None,
        "Number of values before the forecast that the model reads. Default: three seasons or "
        "three horizons, whichever is longer, but at most 512 and at most what the longest series "
        "has.",
        minimum=1,
        group=FORECAST,
    )
    seasonality: int | None = option(
        None,
        "Number of steps of a season, for the seasonal-naive baseline and MASE. Default: that of "
        "the times: 12 for months, 52 for weeks, 7 for days, 24 for hours; 1 for numbered steps.",
        minimum=1,
        group=FORECAST,
    )
    quantiles: list[float] = option(
        [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
        "Levels of the quantiles to forecast, rising, above 0 and below 1.",
        group=FORECAST,
    )


@dataclass(kw_only=True)
class ForecastOptions:
    """Options of `predict` and `evaluate` of a forecaster."""

    steps: int | None = option(
        None,
        "Number of steps to forecast. Those after the horizon are forecast recursively, from "
        "values that are drawn from the forecast before them. Default: the horizon.",
        minimum=1,
        group=FORECAST,
    )
    seed: int = option(0, "Random seed of what is drawn.", group=FORECAST)


@dataclass(kw_only=True)
class Training(TrainingOptions):
    """Training options of a forecaster."""

    epochs: int | None = epochs(at_least(STEPS))
    batch_size: int = option(64, "Number of windows in a batch.", minimum=1, group=OPTIMIZATION)
    windows_per_epoch: int = option(
        10_000,
        "Maximum number of windows in an epoch, chosen at random.",
        minimum=1,
        group=OPTIMIZATION,
    )
