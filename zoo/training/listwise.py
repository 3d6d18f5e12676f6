"""Loss of lists of passages, of which one answers the query."""

from typing import Any

import keras
from keras import ops

from zoo.training.values import known_values

IMPOSSIBLE = -1e9


@keras.saving.register_keras_serializable(package="zoo")
class ListwiseLoss(keras.losses.Loss):
    """The cross-entropy of the first passage of a list, by the softmax of the scores of all.

    Source: Gao et al. 2021, "Rethink Training of BERT Rerankers in Multi-Stage Retrieval
        Pipeline", equation 2; Cao et al. 2007, "Learning to Rank: From Pairwise Approach to
        Listwise Approach", equation 5, with one relevant passage.
    Formula: `L = mean_lists (log sum_i exp s_i - s_0)`

    Args:
        length: Number of passages in a list, n.

    Inputs: `values` (Q n, 1), NaN in rows that do not count; `scores` (Q n, 1).
    Outputs: A float32 scalar; 0 if the first passage of no list counts.

    Example:
        >>> loss = ListwiseLoss(2)
        >>> values, scores = [[1.0], [-1.0]], [[3.0], [3.0]]
        >>> round(float(loss(values, scores)), 4)  # log 2
        0.6931
    """

    def __init__(self, length: int, name: str = "listwise_loss") -> None:
        super().__init__(name=name, reduction="sum", dtype="float32")
        self.length = length

    def call(self, values: Any, scores: Any) -> Any:
        known, _, scores = known_values(values, scores)
        known, scores = (ops.reshape(each, (-1, self.length)) for each in (known, scores))
        chances = ops.log_softmax(ops.where(known > 0, scores, IMPOSSIBLE), axis=-1)
        whole = known[:, 0]
        return -ops.sum(chances[:, 0] * whole) / ops.maximum(ops.sum(whole), 1.0)

    def get_config(self) -> dict[str, Any]:
        return {"length": self.length, "name": self.name}
