"""Options of image regression."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import TaskSettings
from zoo.tasks.options.images import ImageAugmentation, ImageColumn, ImageSettings, ImageTraining
from zoo.tasks.options.table_columns import DATA, TableOptions, value_column
from zoo.tasks.options.values import ValueLoss, ValueSettings
from zoo.training.options import TrainingOptions


@dataclass(kw_only=True)
class Settings(ValueSettings, ImageColumn, ImageSettings, TaskSettings, TableOptions):
    """Settings of an image regressor."""

    model: str = "stn_classifier"
    preset: str = "cnn"
    value_column: str | None = value_column()
    skip_bad_rows: bool = option(
        False,
        "Skip invalid rows, images or recordings, and log how many there were.",
        group=DATA,
    )


@dataclass(kw_only=True)
class Training(ImageTraining, ImageAugmentation, TrainingOptions, ValueLoss):
    """Training options of an image regressor."""
