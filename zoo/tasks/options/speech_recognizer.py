"""Options of speech recognition."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.columns import DATA, TableOptions, column
from zoo.tasks.options.common import TaskSettings
from zoo.training.options import AUGMENTATION, OPTIMIZATION, TrainingOptions


@dataclass(kw_only=True)
class RecordingOptions(TableOptions):
    """How tables of recordings are read."""

    audio_column: str | None = column("paths of recordings, relative to the folder of the table")
    text_column: str | None = column("transcripts")
    skip_bad_rows: bool = option(
        False, "Skip recordings that cannot be read, and log how many there were.", group=DATA
    )
    mix_channels: bool = option(
        False,
        "Accept recordings with different numbers of channels; all are mixed to one.",
        group=DATA,
    )


@dataclass(kw_only=True)
class Settings(TaskSettings, RecordingOptions):
    """Settings of a speech recognizer."""

    model: str = "ctc_recognizer"
    sample_rate: int | None = option(
        None,
        "Samples per second of the model; recordings of other rates are resampled. Default: the "
        "most frequent rate of the training data.",
        minimum=1000,
        group=DATA,
    )


@dataclass(kw_only=True)
class Training(TrainingOptions):
    """Training options of a speech recognizer."""

    batch_size: int = option(32, "Number of recordings in a batch.", minimum=1, group=OPTIMIZATION)
    time_masks: int = option(
        0,
        "SpecAugment: number of spans of time to mask in each recording.",
        minimum=0,
        group=AUGMENTATION,
    )
    time_mask_ms: int = option(
        100,
        "SpecAugment: maximum length of such a span in milliseconds.",
        minimum=1,
        group=AUGMENTATION,
    )
    frequency_masks: int = option(
        0,
        "SpecAugment: number of spans of frequencies to mask in each recording.",
        minimum=0,
        group=AUGMENTATION,
    )
    frequency_mask_bands: int = option(
        8, "SpecAugment: maximum number of mel bands in such a span.", minimum=1, group=AUGMENTATION
    )
