"""Contrastive loss for text embeddings with in-batch negatives."""

from typing import Any

import keras
from keras import ops

from zoo.models.pooling import pool, unit

IMPOSSIBLE = -1e9


@keras.saving.register_keras_serializable(package="zoo")
class MultipleNegatives(keras.losses.Loss):
    """Multiple negatives ranking loss: finds each text's partner among those of the batch.

    Source: Henderson et al. 2017, section 4.4; cosine similarities times 20 as in the code of
        Reimers & Gurevych 2019.
    Formula: `L = -1/B sum_b log softmax_c(scale cos(v_b, w_c))[b]`, where v and w are the
        embeddings of the first and the second text of each pair

    Args:
        pooling: "mean" or "cls"; see `zoo.models.pooling.pool`.
        scale: Factor applied to the cosine similarities.

    Inputs: The padding mask (2 B, T), and the encoder's output (2 B, T, D): the first texts,
        followed by the second texts. Rows that are fully masked are ignored.
    Outputs: A float32 scalar.

    Example:
        >>> mask = ops.ones((4, 1), "bool")
        >>> apart = ops.array([[[1.0, 0.0]], [[0.0, 1.0]], [[1.0, 0.0]], [[0.0, 1.0]]])
        >>> round(float(MultipleNegatives("mean", scale=2.0)(mask, apart)), 4)  # log(1 + exp(-2))
        0.1269
    """

    def __init__(
        self, pooling: str, scale: float = 20.0, name: str = "multiple_negatives", **kwargs: Any
    ) -> None:
        super().__init__(name=name, reduction="sum", dtype="float32")
        self.pooling, self.scale = pooling, scale

    def call(self, mask: Any, sequence: Any) -> Any:
        mask = ops.cast(mask, "bool")
        firsts, seconds = ops.split(unit(pool(sequence, mask, self.pooling)), 2)
        real = ops.any(mask[: ops.shape(firsts)[0]], axis=-1)
        cosines = ops.matmul(firsts, ops.transpose(seconds))
        logits = ops.where(ops.expand_dims(real, 0), self.scale * cosines, IMPOSSIBLE)
        own = ops.diagonal(ops.log_softmax(logits, axis=-1))
        weight = ops.cast(real, "float32")
        return -ops.sum(own * weight) / ops.maximum(ops.sum(weight), 1.0)

    def get_config(self) -> dict[str, Any]:
        return {"pooling": self.pooling, "scale": self.scale, "name": self.name}
