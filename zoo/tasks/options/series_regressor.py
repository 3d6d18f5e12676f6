"""Options of the regression of series."""

from dataclasses import dataclass

from zoo.tasks.options.common import TaskSettings
from zoo.tasks.options.series_forecaster import TimeOptions, columns
from zoo.tasks.options.table_columns import TableOptions
from zoo.tasks.options.values import ValueLoss, ValueSettings
from zoo.tasks.options.whole_series import (
    WholeSeriesColumns,
    WholeSeriesSettings,
    WholeSeriesTraining,
)
from zoo.training.options import TrainingOptions


@dataclass(kw_only=True)
class Settings(
    ValueSettings,
    WholeSeriesSettings,
    WholeSeriesColumns,
    TaskSettings,
    TimeOptions,
    TableOptions,
):
    """Settings of a regressor of series."""

    model: str = "series_classifier"
    target_column: str | None = columns(
        "values to predict, which do not change within a series", "detected by its name"
    )


@dataclass(kw_only=True)
class Training(WholeSeriesTraining, TrainingOptions, ValueLoss):
    """Training options of a regressor of series."""
