"""Options of text regression."""

from dataclasses import dataclass

from zoo.tasks.options.common import TaskSettings, WordVectorSettings
from zoo.tasks.options.encoded_texts import EncodedTextSettings, EncodedTextTraining
from zoo.tasks.options.table_columns import TableOptions, TextColumn, column, value_column
from zoo.tasks.options.values import ValueLoss, ValueSettings
from zoo.training.options import TrainingOptions, learning_rate


@dataclass(kw_only=True)
class ValuedColumns:
    """The further columns of tables of texts with values."""

    second_column: str | None = column("second texts of pairs")
    value_column: str | None = value_column()


@dataclass(kw_only=True)
class Settings(
    ValueSettings,
    EncodedTextSettings,
    TaskSettings,
    WordVectorSettings,
    ValuedColumns,
    TextColumn,
    TableOptions,
):
    """Settings of a text regressor."""


@dataclass(kw_only=True)
class Training(EncodedTextTraining, ValueLoss, TrainingOptions):
    """Training options of a text regressor."""

    learning_rate: float | None = learning_rate("0.01 with ngram_classifier, otherwise 0.001")
