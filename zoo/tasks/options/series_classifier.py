"""Options of the classification of series."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.class_loss import ClassLoss
from zoo.tasks.options.common import LabelSettings, LabelSmoothing, TaskSettings
from zoo.tasks.options.label_sets import LabelSetSettings
from zoo.tasks.options.series_forecaster import TimeOptions
from zoo.tasks.options.table_columns import DATA, TableOptions, WeightColumn
from zoo.tasks.options.whole_series import (
    WholeSeriesColumns,
    WholeSeriesSettings,
    WholeSeriesTraining,
)
from zoo.training.options import TrainingOptions


@dataclass(kw_only=True)
class Settings(
    LabelSetSettings,
    LabelSettings,
    WholeSeriesSettings,
    WholeSeriesColumns,
    WeightColumn,
    TaskSettings,
    TimeOptions,
    TableOptions,
):
    """Settings of a classifier of series."""

    model: str = "series_classifier"
    label_column: str | None = option(
        None,
        "Column of the labels, which do not change within a series. Default: detected by its name.",
        group=DATA,
    )


@dataclass(kw_only=True)
class Training(WholeSeriesTraining, TrainingOptions, LabelSmoothing, ClassLoss):
    """Training options of a classifier of series."""
