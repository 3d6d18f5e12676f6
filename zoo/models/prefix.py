"""Layers that join a source and a target into one sequence, whose prefix is the source."""

from typing import Any

import keras
from keras import ops

from keras_attn.functional.masks import padding_mask, prefix_mask


@keras.saving.register_keras_serializable(package="keras_attn")
class SourceAndTarget(keras.layers.Layer):
    """Appends each target to its source, and computes the masks of the joined sequence.

    The padding of the sources is moved to the front, so that no row has padding between the source
    and the target.

    Source: Raffel et al. 2020, section 3.2.1, figure 4 (the prefix language model).
    Formula: `ids[b] = [padding, source[b], target[b]]`; a source position attends to the
    whole source, a target position to the source and to the target up to itself

    Inputs: `source_ids`, `source_mask` (B, S), `target_ids`, `target_mask` (B, T), True at real
        tokens, which are followed by the padding.
    Outputs: The ids (B, S + T); the position of the first id of each row, (B,), which is negative
        if the row begins with padding; the padding mask (B, S + T); and the attention mask
        (1, S + T, S + T).

    Example:
        >>> source, target = ops.array([[7, 8, 0]]), ops.array([[2, 9]])
        >>> ids, first, _, _ = SourceAndTarget()(source, source > 0, target, target > 0)
        >>> ops.convert_to_numpy(ids).tolist(), ops.convert_to_numpy(first).tolist()
        ([[0, 7, 8, 2, 9]], [-1])
    """

    def call(self, source_ids: Any, source_mask: Any, target_ids: Any, target_mask: Any) -> Any:
        length, target_length = ops.shape(source_ids)[1], ops.shape(target_ids)[1]
        padding = count_padding(source_mask)
        ids = ops.concatenate([moved(source_ids, padding), target_ids], axis=1)
        real = ops.concatenate([beyond(padding, length), target_mask], axis=1)
        seen = prefix_mask(ops.expand_dims(length, 0), length + target_length)
        return ids, -padding, real, seen


@keras.saving.register_keras_serializable(package="keras_attn")
class TargetPart(keras.layers.Layer):
    """The part of a joined sequence that belongs to the targets.

    Source: Raffel et al. 2020, section 3.2.1.
    Formula: `y[b, t] = x[b, S + t]`

    Inputs: `x` (B, S + T, D), and `target_ids` (B, T), whose values are ignored.
    Outputs: (B, T, D).

    Example:
        >>> tuple(TargetPart()(ops.zeros((2, 8, 5)), ops.zeros((2, 3))).shape)
        (2, 3, 5)
    """

    def call(self, x: Any, target_ids: Any) -> Any:
        batch, length, width = ops.shape(x)
        target_length = ops.shape(target_ids)[1]
        return ops.slice(x, (0, length - target_length, 0), (batch, target_length, width))


def count_padding(mask: Any) -> Any:
    """The number of padding positions of each row: (B, S) -> (B,)."""
    return ops.sum(ops.cast(ops.logical_not(mask), "int32"), axis=1)


def beyond(padding: Any, length: Any) -> Any:
    """A mask that is False at the padding in front of each row: (B,) -> (B, length)."""
    return ops.logical_not(padding_mask(padding, length))


def moved(x: Any, shifts: Any) -> Any:
    """Rolls each row of x (B, ..., S) to the right, by a different number of positions.

    Args:
        x: Tensor (B, ..., S).
        shifts: int32 tensor (B,); negative numbers roll to the left.

    Example:
        >>> x = ops.array([[1, 2, 3], [4, 5, 6]])
        >>> ops.convert_to_numpy(moved(x, ops.array([1, -1]))).tolist()
        [[3, 1, 2], [5, 6, 4]]
    """
    length, ranks = ops.shape(x)[-1], len(x.shape)
    for _ in range(ranks - 1):
        shifts = ops.expand_dims(shifts, -1)
    indices = ops.mod(ops.arange(length, dtype="int32") - shifts, length)
    return ops.take_along_axis(x, indices, axis=-1)
