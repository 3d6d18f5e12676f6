"""Options of question answering."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import TEXT, TaskSettings, TextSettings, WordVectorSettings
from zoo.tasks.options.table_columns import DATA, TableOptions, column
from zoo.training.options import OPTIMIZATION, TrainingOptions, at_least, epochs

STEPS = 1000  # minimum number of training steps if the number of epochs is not given


@dataclass(kw_only=True)
class AnsweredColumns:
    """The columns of tables of questions with answers."""

    question_column: str | None = column("questions")
    passage_column: str | None = column("passages")
    answer_column: str | None = column("answers")
    answer_start_column: str | None = column("numbers of characters before the answers")


@dataclass(kw_only=True)
class Settings(TextSettings, TaskSettings, WordVectorSettings, AnsweredColumns, TableOptions):
    """Settings of question answering."""

    model: str = "bert"
    max_length: int = option(
        384,
        "Maximum number of tokens of a question together with a part of its passage. A longer "
        "passage is read in windows that overlap.",
        minimum=5,
        group=TEXT,
    )
    max_question_length: int = option(
        64,
        "Maximum number of tokens of a question; longer questions are truncated.",
        minimum=1,
        group=TEXT,
    )
    stride: int = option(
        128,
        "Number of tokens from the beginning of a window to that of the next one.",
        minimum=1,
        group=TEXT,
    )
    max_answer_length: int = option(
        30, "Maximum number of tokens of a predicted answer.", minimum=1, group=TEXT
    )
    no_answer: bool | None = option(
        None,
        "Whether a passage may have no answer. Default: as in the training data.",
        group=DATA,
    )


@dataclass(kw_only=True)
class Training(TrainingOptions):
    """Training options of question answering."""

    epochs: int | None = epochs(at_least(STEPS))
    batch_tokens: int | None = option(
        4096, "Batch size in tokens, including padding.", minimum=1, group=OPTIMIZATION
    )
