"""Options shared by the tasks on images."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.table_columns import DATA, column
from zoo.training.options import AUGMENTATION, OPTIMIZATION, at_least, epochs

STEPS = 1000  # minimum number of training steps if the number of epochs is not given


@dataclass(kw_only=True)
class ImageColumn:
    """How tables of image files are read."""

    images: str | None = option(
        None, "Folder of the images of a table. Default: that of the table.", group=DATA
    )
    image_column: str | None = column("paths of images")


@dataclass(kw_only=True)
class ImageSettings:
    """Settings of tasks on images."""

    skip_bad_rows: bool = option(
        False, "Skip invalid rows, images or recordings, and log how many there were.", group=DATA
    )
    image_size: str | None = option(
        None,
        "Width and height of the images of the model, such as 28x28; others are resized. Default: "
        "the most frequent size of the training data.",
        group=DATA,
    )
    channels: int | None = option(
        None,
        "Channels of the images of the model: 1 for gray, 3 for colors; others are converted. "
        "Default: as in the training data.",
        minimum=1,
        group=DATA,
    )


@dataclass(kw_only=True)
class ImageAugmentation:
    """Training options of tasks on images: random changes."""

    shift: float = option(
        0.0,
        "Shift training images at random by up to this fraction of their height and width.",
        minimum=0,
        below=1,
        group=AUGMENTATION,
    )
    rotation: float = option(
        0.0,
        "Rotate training images at random by up to this angle in degrees, in either direction.",
        minimum=0,
        group=AUGMENTATION,
    )
    flip: bool = option(False, "Mirror half of the training images.", group=AUGMENTATION)


@dataclass(kw_only=True)
class ImageTraining:
    """Training options of tasks that give each image a label or values."""

    epochs: int | None = epochs(at_least(STEPS))
    batch_size: int = option(64, "Number of images in a batch.", minimum=1, group=OPTIMIZATION)
    localization_rate: float = option(
        0.1,
        "Learning rate of the spatial transformers, as a fraction of that of other layers.",
        above=0,
        group=OPTIMIZATION,
    )
