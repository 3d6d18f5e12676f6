"""Options of image classification."""

from dataclasses import dataclass

from zoo.tasks.options.class_loss import ClassLoss
from zoo.tasks.options.common import LabelSettings, LabelSmoothing, TaskSettings
from zoo.tasks.options.images import ImageAugmentation, ImageColumn, ImageSettings, ImageTraining
from zoo.tasks.options.label_sets import LabelSetSettings
from zoo.tasks.options.table_columns import TableOptions, WeightColumn, column
from zoo.training.options import TrainingOptions


@dataclass(kw_only=True)
class Settings(
    LabelSetSettings,
    LabelSettings,
    ImageColumn,
    WeightColumn,
    ImageSettings,
    TaskSettings,
    TableOptions,
):
    """Settings of an image classifier."""

    model: str = "stn_classifier"
    preset: str = "affine"
    label_column: str | None = column("labels")


@dataclass(kw_only=True)
class Training(ImageTraining, ImageAugmentation, TrainingOptions, LabelSmoothing, ClassLoss):
    """Training options of an image classifier."""
