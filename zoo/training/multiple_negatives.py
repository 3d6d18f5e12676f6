"""The loss by which vectors of texts are told from all others in a batch."""

from typing import Any

import keras
from keras import ops

from zoo.models.pooling import unit

IMPOSSIBLE = -1e9


@keras.saving.register_keras_serializable(package="zoo")
class MultipleNegatives(keras.losses.Loss):
    """Crossentropy of finding each text's partner among the partners of the whole batch.

    Source: Henderson et al. 2017, section 4.4; cosines times 20 as in Reimers & Gurevych 2019's
    code.
    Formula: `L = -1/B sum_b log softmax_c(scale cos(v_b, w_c))[b]`, v and w the vectors of the
    first and the second text of each pair

    Args:
        scale: What cosines are multiplied by.

    Inputs: the padding mask (2 B, T), and the vectors (2 B, D): of the first texts, then of their
        partners. A row that is masked throughout takes no part.
    Outputs: a float32 scalar.

    Example:
        >>> mask = ops.ones((4, 1), "bool")
        >>> apart = ops.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
        >>> round(float(MultipleNegatives(scale=2.0)(mask, apart)), 4)  # log(1 + exp(-2))
        0.1269
    """

    def __init__(
        self, scale: float = 20.0, name: str = "multiple_negatives", **kwargs: Any
    ) -> None:
        super().__init__(name=name, reduction="sum", dtype="float32")
        self.scale = scale

    def call(self, mask: Any, vectors: Any) -> Any:
        mask = ops.cast(mask, "bool")
        firsts, seconds = ops.split(unit(vectors), 2)
        real = ops.any(mask[: ops.shape(firsts)[0]], axis=-1)
        cosines = ops.matmul(firsts, ops.transpose(seconds))
        logits = ops.where(ops.expand_dims(real, 0), self.scale * cosines, IMPOSSIBLE)
        own = ops.diagonal(ops.log_softmax(logits, axis=-1))
        weight = ops.cast(real, "float32")
        return -ops.sum(own * weight) / ops.maximum(ops.sum(weight), 1.0)

    def get_config(self) -> dict[str, Any]:
        return {"scale": self.scale, "name": self.name}
