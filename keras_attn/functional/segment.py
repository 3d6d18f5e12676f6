"""Softmax over groups of different sizes, such as the edges that end in the same node."""

from typing import Any

import keras
from keras import ops


def segment_softmax(scores: Any, segment_ids: Any, num_segments: Any, mask: Any = None) -> Any:
    """Softmax over the rows that belong to the same segment; rows may be in any order.

    Time and memory are linear in the number of rows. The computation is in float32, whatever the
    dtype of the scores. Masked rows get zero.

    Source: Veličković et al. 2018, equation 2, whose softmax runs over a node's neighbors.
    Formula: `weight_e = mask_e exp(score_e) / sum_{f: id_f = id_e} mask_f exp(score_f)`

    Args:
        scores: Tensor (E, ...).
        segment_ids: Integer tensor (E,), each in [0, num_segments).
        num_segments: Number of segments, an integer or a scalar tensor; segments may be empty.
        mask: Bool tensor (E,); None for no mask.

    Returns:
        Tensor with the shape and dtype of `scores`.

    Example:
        >>> weights = segment_softmax([0.0, 7.0, 0.0], [2, 0, 2], num_segments=3)
        >>> ops.convert_to_numpy(weights).tolist()
        [0.5, 1.0, 0.5]
    """
    scores, segment_ids = ops.convert_to_tensor(scores), ops.convert_to_tensor(segment_ids)
    logits = ops.cast(scores, "float32")
    if keras.backend.standardize_dtype(scores.dtype) == "float16":
        logits = ops.clip(logits, -65504.0, 65504.0)  # an infinity would cause NaN
    if mask is not None:
        # As in `masked_softmax`: far below any score, and finite if all rows are masked.
        mask = ops.cast(ops.cast(mask, "bool"), "float32")
        mask = ops.reshape(mask, (-1,) + (1,) * (len(logits.shape) - 1))
        logits = logits - (1.0 - mask) * 1e30
    greatest = ops.segment_max(ops.stop_gradient(logits), segment_ids, num_segments)
    shares = ops.exp(logits - ops.take(greatest, segment_ids, axis=0))
    total = ops.segment_sum(shares, segment_ids, num_segments)
    weights = shares / ops.take(total, segment_ids, axis=0)
    return ops.cast(weights if mask is None else weights * mask, scores.dtype)
