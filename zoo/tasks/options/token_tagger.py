"""Options of token tagging."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import (
    TEXT,
    ClassifierTraining,
    LabelSettings,
    LengthSettings,
    TaskSettings,
    TextSettings,
    WordVectorSettings,
)
from zoo.tasks.options.table_columns import DATA, text_encoding
from zoo.training.options import TrainingOptions, at_least, epochs

STEPS = 300  # minimum number of training steps if the number of epochs is not given


@dataclass(kw_only=True)
class TaggedColumns:
    """How files of tagged words are read."""

    word_column: str | None = option(
        None,
        "Column of the words: its number from 1, or its name if the file names its columns; in "
        "records, the name of the lists. Default: the first column, the second after one that "
        "numbers the words, FORM in CoNLL-U.",
        group=DATA,
    )
    tag_column: str | None = option(
        None,
        "Column of the tags: its number, -1 for the last, or its name. Default: the last column, "
        "UPOS in CoNLL-U.",
        group=DATA,
    )
    encoding: str | None = text_encoding()


@dataclass(kw_only=True)
class Settings(
    LabelSettings, LengthSettings, TextSettings, TaskSettings, WordVectorSettings, TaggedColumns
):
    """Settings of a token tagger."""

    model: str = "bert"
    max_length: int = option(
        128,
        "Maximum input length of the model in tokens; longer sentences are split.",
        minimum=3,
        group=TEXT,
    )
    labels: list[str] | None = option(
        None, "Tags in class order. Default: those of the training data, sorted.", group=DATA
    )


@dataclass(kw_only=True)
class Training(ClassifierTraining, TrainingOptions):
    """Training options of a token tagger."""

    epochs: int | None = epochs(at_least(STEPS))
