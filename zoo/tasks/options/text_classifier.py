"""Options of text classification."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.class_loss import ClassLoss
from zoo.tasks.options.common import (
    ClassifierTraining,
    LabelSettings,
    TaskSettings,
    WordVectorSettings,
)
from zoo.tasks.options.encoded_texts import EncodedTextSettings, EncodedTextTraining
from zoo.tasks.options.label_sets import LabelSetSettings
from zoo.tasks.options.table_columns import LabeledColumns, TableOptions, TextColumn, WeightColumn
from zoo.training.options import OPTIMIZATION, OPTIMIZERS, TrainingOptions, learning_rate


@dataclass(kw_only=True)
class Settings(
    LabelSetSettings,
    LabelSettings,
    EncodedTextSettings,
    TaskSettings,
    WordVectorSettings,
    LabeledColumns,
    WeightColumn,
    TextColumn,
    TableOptions,
):
    """Settings of a text classifier."""


@dataclass(kw_only=True)
class Training(EncodedTextTraining, ClassifierTraining, ClassLoss, TrainingOptions):
    """Training options of a text classifier."""

    learning_rate: float | None = learning_rate("10 with ngram_classifier, otherwise 0.001")
    optimizer: str = option(
        "adam",
        "Optimizer; sgd is stochastic gradient descent with Nesterov momentum. Default: sgd with "
        "ngram_classifier, otherwise adam.",
        choices=OPTIMIZERS,
        group=OPTIMIZATION,
    )
