"""Pooling of the hidden states of a text's tokens into one vector."""

from typing import Any

from keras import ops

POOLINGS = ("mean", "cls")
TINY = 1e-12  # lower bound of the norms that vectors are divided by


def pool(sequence: Any, mask: Any, pooling: str) -> Any:
    """Pools the hidden states of each text into one vector, in float32.

    Source: Reimers & Gurevych 2019, section 3.
    Formula: `mean: v = sum_t m_t x_t / sum_t m_t`, 0 if all tokens are masked; `cls: v = x_1`

    Args:
        sequence: Tensor (B, T, D).
        mask: bool tensor (B, T), True at real tokens.
        pooling: "mean" or "cls".

    Outputs: Tensor (B, D).

    Example:
        >>> x = ops.reshape(ops.arange(6.0), (1, 3, 2))
        >>> ops.convert_to_numpy(pool(x, ops.array([[True, True, False]]), "mean")).tolist()
        [[1.0, 2.0]]
    """
    sequence = ops.cast(sequence, "float32")
    if pooling == "cls":
        return sequence[:, 0]
    keep = ops.cast(ops.expand_dims(mask, -1), "float32")
    return ops.sum(sequence * keep, axis=1) / ops.maximum(ops.sum(keep, axis=1), 1.0)


def unit(vectors: Any) -> Any:
    """Scales vectors (B, D) to length 1; a zero vector stays zero.

    Example:
        >>> ops.convert_to_numpy(unit(ops.array([[3.0, 4.0]]))).round(3).tolist()
        [[0.6000000238418579, 0.800000011920929]]
    """
    squares = ops.sum(ops.square(vectors), axis=-1, keepdims=True)
    # The bound is inside the root, so that the gradient at 0 is 0 and not infinite.
    return vectors * ops.rsqrt(ops.maximum(squares, TINY**2))
