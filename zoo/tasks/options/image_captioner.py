"""Options of image captioning."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import MODEL, TEXT, TaskSettings, TextSettings
from zoo.tasks.options.images import ImageAugmentation, ImageColumn, ImageSettings
from zoo.tasks.options.table_columns import DATA, TableOptions, column
from zoo.training.options import (
    FINE_TUNING,
    OPTIMIZATION,
    TrainingOptions,
    at_least,
    early_stopping,
    epochs,
)

STEPS = 1000  # minimum number of training steps if the number of epochs is not given


@dataclass(kw_only=True)
class CaptionColumns:
    """The further columns of tables of images with captions."""

    caption_column: str | None = column("captions")


@dataclass(kw_only=True)
class Settings(
    TextSettings, ImageColumn, CaptionColumns, ImageSettings, TaskSettings, TableOptions
):
    """Settings of an image captioner."""

    model: str = "captioner"
    skip_bad_rows: bool = option(
        False,
        "Skip invalid rows, images or recordings, and log how many there were.",
        group=DATA,
    )
    max_length: int = option(
        32,
        "Maximum number of tokens of a caption; longer ones are truncated. Also the maximum number "
        "of tokens to generate.",
        minimum=2,
        group=TEXT,
    )
    backbone_weights: str | None = option(
        None,
        "File of the weights that the backbone starts from, without those of its classifier, "
        ".weights.h5 or .h5. Default: random weights.",
        group=MODEL,
    )


@dataclass(kw_only=True)
class Training(ImageAugmentation, TrainingOptions):
    """Training options of an image captioner."""

    epochs: int | None = epochs(at_least(STEPS))
    patience: int | None = early_stopping()
    batch_size: int = option(32, "Number of captions in a batch.", minimum=1, group=OPTIMIZATION)
    label_smoothing: float = option(
        0.0, "Label smoothing factor.", minimum=0, below=1, group=OPTIMIZATION
    )
    attention_penalty: float = option(
        1.0,
        "Weight of the penalty on cells of the image that all words together look at more or less "
        "than once.",
        minimum=0,
        group=OPTIMIZATION,
    )
    freeze: int | None = option(  # type: ignore[assignment]
        None,
        "Freeze the backbone (1) or train it (0). Default: 1 with --backbone-weights, otherwise 0.",
        minimum=0,
        group=FINE_TUNING,
    )
