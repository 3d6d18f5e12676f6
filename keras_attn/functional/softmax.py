"""The softmax of attention: in float32, over the positions that take part."""

from typing import Any

import keras
from keras import ops


def masked_softmax(scores: Any, mask: Any = None, axis: int = -1) -> Any:
    """Softmax over the positions whose mask is True; zero elsewhere.

    Source: Vaswani et al. 2017, section 3.2.3.
    Formula: `weight_i = mask_i exp(score_i) / sum_j mask_j exp(score_j)`, and 0 for all i where
    no mask_j is True.

    The arithmetic is float32 whatever the dtype of the scores.

    Args:
        scores: Tensor of any shape.
        mask: Bool tensor that broadcasts to the scores; None takes every position.
        axis: The axis that sums to one.

    Outputs: Tensor with the shape and dtype of scores.

    Example:
        >>> ops.convert_to_numpy(masked_softmax([0.0, 0.0, 9.0], [True, True, False])).tolist()
        [0.5, 0.5, 0.0]
        >>> ops.convert_to_numpy(masked_softmax([1.0, 2.0], [False, False])).tolist()
        [0.0, 0.0]
    """
    scores = ops.convert_to_tensor(scores)
    logits = ops.cast(scores, "float32")
    if keras.backend.standardize_dtype(scores.dtype) == "float16":
        # A product that overflowed is infinite, and an infinity, masked or not, would make NaN.
        logits = ops.clip(logits, -65504.0, 65504.0)
    if mask is None:
        return ops.cast(_softmax(logits, axis), scores.dtype)
    mask = ops.cast(ops.cast(mask, "bool"), "float32")
    # Far below any score, and finite: a row without an open position must not make NaN. Adding
    # and multiplying broadcasts faster than selecting, forward and backward. It is a difference
    # because TensorFlow fuses a sum into the product before it, which for a mask that all rows
    # share is a hundred times as slow.
    weights = _softmax(logits - (1.0 - mask) * 1e30, axis)
    # Only a fully masked row has weight left on a masked position.
    return ops.cast(weights * mask, scores.dtype)


def _softmax(logits: Any, axis: int) -> Any:
    """Without Keras's warning where there is a single position, which gets all the weight."""
    return 0.0 * logits + 1.0 if logits.shape[axis] == 1 else ops.softmax(logits, axis=axis)
