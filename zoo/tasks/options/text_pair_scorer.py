"""Options of the scoring of pairs of texts."""

from dataclasses import dataclass

from zoo.options import option
from zoo.tasks.options.common import TaskSettings, WordVectorSettings
from zoo.tasks.options.encoded_texts import EncodedTextSettings, EncodedTextTraining
from zoo.tasks.options.table_columns import DATA, PassageColumns, TableOptions
from zoo.tasks.options.values import ValueSettings
from zoo.training.options import OPTIMIZATION, VALUE_LOSSES, TrainingOptions

HARD = 50  # passages that hard negatives are drawn from
LISTWISE = "listwise"


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
        "have neither scores nor negatives; in training, other ones in every epoch.",
        minimum=1,
        group=DATA,
    )
    hard_negatives: int = option(
        0,
        "How many of the sampled passages are, in training, among the "
        f"{HARD} of other queries that BM25 ranks highest for the query.",
        minimum=0,
        group=DATA,
    )


@dataclass(kw_only=True)
class Training(EncodedTextTraining, TrainingOptions):
    """Training options of a text pair scorer."""

    loss: str = option(
        "mse",
        "Loss of the standardized scores, as for text-regressor; or listwise, the cross-entropy "
        "of the answer among the passages that are sampled for it, which needs these.",
        choices=(*VALUE_LOSSES, LISTWISE),
        group=OPTIMIZATION,
    )
