"""Options of the scoring of pairs of texts."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import TaskSettings, WordVectorSettings
from zoo.tasks.options.encoded_texts import EncodedTextSettings, EncodedTextTraining
from zoo.tasks.options.table_columns import DATA, PassageColumns, TableOptions
from zoo.tasks.options.values import ValueLoss, ValueSettings
from zoo.training.options import TrainingOptions


@dataclass(kw_only=True)
class Settings(
    ValueSettings,
    EncodedTextSettings,
    TaskSettings,
    WordVectorSettings,
    PassageColumns,
    TableOptions,
):
    """Settings of a text pair scorer."""

    model: str = "bert"
    negatives: int = option(
        4,
        "Passages of other rows to sample for each passage that answers its query, if the data "
        "have neither scores nor negatives.",
        minimum=1,
        group=DATA,
    )


@dataclass(kw_only=True)
class Training(EncodedTextTraining, ValueLoss, TrainingOptions):
    """Training options of a text pair scorer."""
