"""Masked softmax, computed in float32."""

from typing import Any

import keras
from keras import ops


def masked_softmax(scores: Any, mask: Any = None, axis: int = -1) -> Any:
    """Softmax over the positions whose mask is True; masked positions get zero.

    The computation is in float32, whatever the dtype of the scores. If all positions are masked,
    the result is zero.

    Source: Vaswani et al. 2017, section 3.2.3.
    Formula: `weight_i = mask_i exp(score_i) / sum_j mask_j exp(score_j)`, or 0 for all i if no
        mask_j is True

    Args:
        scores: Tensor of any shape.
        mask: Bool tensor that broadcasts to the scores; None for no mask.
        axis: Axis over which to normalize.

    Returns:
        Tensor with the shape and dtype of `scores`.

    Example:
        >>> ops.convert_to_numpy(masked_softmax([0.0, 0.0, 9.0], [True, True, False])).tolist()
        [0.5, 0.5, 0.0]
        >>> ops.convert_to_numpy(masked_softmax([1.0, 2.0], [False, False])).tolist()
        [0.0, 0.0]
    """
    scores = ops.convert_to_tensor(scores)
    logits = ops.cast(scores, "float32")
    if keras.backend.standardize_dtype(scores.dtype) == "float16":
        # A product that overflowed is infinite, and an infinity, masked or not, would cause NaN.
        logits = ops.clip(logits, -65504.0, 65504.0)
    if mask is None:
        return ops.cast(_softmax(logits, axis), scores.dtype)
    mask = ops.cast(ops.cast(mask, "bool"), "float32")
    # 1e30 is far above any score, and finite, so that a fully masked row does not cause NaN. Adding
    # and multiplying broadcasts faster than `where`, forward and backward. It is a subtraction
    # because TensorFlow would fuse an addition into the preceding product, which is a hundred times
    # as slow for a mask that all rows share.
    weights = _softmax(logits - (1.0 - mask) * 1e30, axis)
    # Sets the weights of a fully masked row to zero; those of other masked positions already are.
    return ops.cast(weights * mask, scores.dtype)


def _softmax(logits: Any, axis: int) -> Any:
    """Softmax without Keras's warning about an axis of size 1, where the result is 1."""
    return 0.0 * logits + 1.0 if logits.shape[axis] == 1 else ops.softmax(logits, axis=axis)
