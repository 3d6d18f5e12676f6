"""Contrastive loss for text embeddings with in-batch negatives."""

from typing import Any

import keras
from keras import ops

from zoo.models.pooling import unit

IMPOSSIBLE = -1e9


@keras.saving.register_keras_serializable(package="zoo")
class MultipleNegatives(keras.losses.Loss):
    """Multiple negatives ranking loss: finds each text's partner among those of the batch.

    Source: Henderson et al. 2017, section 4.4; cosine similarities times 20 as in the code of
        Reimers & Gurevych 2019.
    Formula: `L = -1/B sum_b log softmax_c(scale cos(v_b, w_c))[b]`, where v and w are the
        embeddings of the first and the second text of each pair

    Args:
        scale: Factor applied to the cosine similarities.

    Inputs: The padding mask (2 B, T), and the vectors (2 B, D): of the first texts, followed by
        those of the second texts. Rows that are fully masked are ignored.
    Outputs: A float32 scalar.

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
