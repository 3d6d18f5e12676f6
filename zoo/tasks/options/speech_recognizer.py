"""Options of speech recognition."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import TEXT, TaskSettings
from zoo.tasks.options.table_columns import DATA, TableOptions, column
from zoo.training.options import AUGMENTATION, OPTIMIZATION, TrainingOptions, at_least, epochs

STEPS = 1000  # minimum number of training steps if the number of epochs is not given


@dataclass(kw_only=True)
class RecordingOptions:
    """How tables of recordings are read."""

    audio_column: str | None = column("paths of recordings, relative to the folder of the table")
    text_column: str | None = column("transcripts")
    skip_bad_rows: bool = option(
        False, "Skip invalid rows, images or recordings, and log how many there were.", group=DATA
    )
    mix_channels: bool = option(
        False,
        "Accept recordings with different numbers of channels; all are mixed to one.",
        group=DATA,
    )


@dataclass(kw_only=True)
class Settings(TaskSettings, RecordingOptions, TableOptions):
    """Settings of a speech recognizer."""

    model: str = "ctc_recognizer"
    sample_rate: int | None = option(
        None,
        "Samples per second of the model; recordings of other rates are resampled. Default: the "
        "most frequent rate of the training data.",
        minimum=1000,
        group=DATA,
    )
    ngram: int | None = option(
        None,
        "The n of a character n-gram model of the transcripts, which beam search takes into "
        "account. Default: no such model.",
        minimum=1,
        group=TEXT,
    )
    ngram_weight: float = option(
        0.5,
        "Factor of the log-probabilities of that model.",
        minimum=0,
        group=TEXT,
    )


@dataclass(kw_only=True)
class DecodingOptions:
    """Options of `predict`, `evaluate` and export of a speech recognizer."""

    beams: int = option(1, "Number of beams; 1 means greedy decoding.", minimum=1)


@dataclass(kw_only=True)
class Training(TrainingOptions):
    """Training options of a speech recognizer."""

    epochs: int | None = epochs(at_least(STEPS))
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
