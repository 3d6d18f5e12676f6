"""Options of text classification."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import (
    ClassifierTraining,
    LabelSettings,
    TaskSettings,
    WordVectorSettings,
)
from zoo.tasks.options.encoded_texts import EncodedTextSettings, EncodedTextTraining
from zoo.tasks.options.table_columns import DATA, LabeledColumns, TableOptions, TextColumn
from zoo.training.options import OPTIMIZATION, OPTIMIZERS, TrainingOptions, learning_rate


@dataclass(kw_only=True)
class Settings(
    LabelSettings,
    EncodedTextSettings,
    TaskSettings,
    WordVectorSettings,
    LabeledColumns,
    TextColumn,
    TableOptions,
):
    """Settings of a text classifier."""

    multi_label: bool | None = option(
        None,
        "Whether a text can have several labels, or none. Then the column of labels has them all, "
        "or --label-column names several columns of 0 and 1, with commas between. Default: as in "
        "the checkpoint, otherwise false.",
        group=DATA,
    )
    label_separator: str = option(
        "|", "What stands between the labels of a text, if it can have several.", group=DATA
    )
    threshold: float | None = option(
        None,
        "Probability from which a label is predicted, if a text can have several. Default: the one "
        "with the best micro F1 on the validation data, or 0.5 without any.",
        above=0,
        below=1,
        group=DATA,
    )


@dataclass(kw_only=True)
class Training(EncodedTextTraining, ClassifierTraining, TrainingOptions):
    """Training options of a text classifier."""

    learning_rate: float | None = learning_rate("10 with ngram_classifier, otherwise 0.001")
    optimizer: str = option(
        "adam",
        "Optimizer; sgd is stochastic gradient descent with Nesterov momentum. Default: sgd with "
        "ngram_classifier, otherwise adam.",
        choices=OPTIMIZERS,
        group=OPTIMIZATION,
    )
