"""Options of image classification."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import LabelSettings, TaskSettings
from zoo.tasks.options.images import ImageAugmentation, ImageSettings
from zoo.tasks.options.table_columns import TableOptions
from zoo.training.options import OPTIMIZATION, TrainingOptions, at_least, epochs

STEPS = 1000  # minimum number of training steps if the number of epochs is not given


@dataclass(kw_only=True)
class Settings(LabelSettings, ImageSettings, TaskSettings, TableOptions):
    """Settings of an image classifier."""

    model: str = "stn_classifier"
    preset: str = "affine"


@dataclass(kw_only=True)
class Training(ImageAugmentation, TrainingOptions):
    """Training options of an image classifier."""

    epochs: int | None = epochs(at_least(STEPS))
    batch_size: int = option(64, "Number of images in a batch.", minimum=1, group=OPTIMIZATION)
    label_smoothing: float = option(
        0.0, "Label smoothing factor.", minimum=0, below=1, group=OPTIMIZATION
    )
    localization_rate: float = option(
        0.1,
        "Learning rate of the spatial transformers, as a fraction of that of other layers.",
        above=0,
        group=OPTIMIZATION,
    )
