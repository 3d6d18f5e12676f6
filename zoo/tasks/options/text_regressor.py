"""Options of text regression."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import TaskSettings, WordVectorSettings
from zoo.tasks.options.encoded_texts import EncodedTextSettings, EncodedTextTraining
from zoo.tasks.options.table_columns import DATA, TableOptions, TextColumn, column
from zoo.training.options import OPTIMIZATION, VALUE_LOSSES, TrainingOptions, learning_rate


@dataclass(kw_only=True)
class ValuedColumns:
    """The further columns of tables of texts with values."""

    second_column: str | None = column("second texts of pairs")
    value_column: str | None = option(
        None,
        "Column of the values, or several with commas between. Default: the one with a usual name, "
        "or else the only one of numbers.",
        group=DATA,
    )


@dataclass(kw_only=True)
class Settings(
    EncodedTextSettings,
    TaskSettings,
    WordVectorSettings,
    ValuedColumns,
    TextColumn,
    TableOptions,
):
    """Settings of a text regressor."""

    value_names: list[str] | None = option(
        None, "Names of the values. Default: those of their columns.", group=DATA
    )
    value_means: list[float] | None = option(
        None,
        "What is subtracted from each value before the model learns it. Default: its mean in the "
        "training data.",
        group=DATA,
    )
    value_scales: list[float] | None = option(
        None,
        "What each value is divided by after that. Default: its standard deviation in the training "
        "data.",
        group=DATA,
    )


@dataclass(kw_only=True)
class Training(EncodedTextTraining, TrainingOptions):
    """Training options of a text regressor."""

    loss: str = option(
        "mse",
        "Loss of the standardized values: squared error, absolute error, or Huber's loss, which "
        "is squared up to one standard deviation and absolute beyond.",
        choices=VALUE_LOSSES,
        group=OPTIMIZATION,
    )
    learning_rate: float | None = learning_rate("0.01 with ngram_classifier, otherwise 0.001")
