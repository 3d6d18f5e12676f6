"""Greedy decoding for models trained with CTC."""

from typing import Any

from keras import ops

from keras_attn.dense_only import dense_only
from keras_attn.functional.ctc import IMPOSSIBLE
from keras_attn.functional.masks import padding_mask


@dense_only
def ctc_greedy_decode(logits: Any, logit_lengths: Any, blank: int = 0) -> tuple[Any, Any, Any]:
    """CTC best-path decoding: the label sequence of the most probable alignment.

    It takes the best class of each frame. The result is not necessarily the most probable label
    sequence, whose probability is the sum over all its alignments.

    Source: Graves et al. 2006, section 3.2, "best path decoding".
    Formula: `B(argmax_k logits_1(k) … argmax_k logits_T(k))`, where B merges repeats, then removes
        blanks

    Args:
        logits: Unnormalized class scores (B, T, V).
        logit_lengths: Number of frames of each sequence, integers (B,), at most T.
        blank: Index of the blank class.

    Returns:
        Labels (B, T), padded with the blank; their lengths (B,); the log-probability of the
        alignment (B,), float32.

    Raises:
        ValueError: If `logits` does not have three axes, or `blank` is not a class index.

    Example:
        >>> from keras import ops
        >>> from keras_attn import ctc_greedy_decode
        >>> best = ops.one_hot([[1, 1, 0, 1, 2]], 3)
        >>> labels, lengths, _ = ctc_greedy_decode(best, [5])
        >>> ops.convert_to_numpy(labels).tolist(), ops.convert_to_numpy(lengths).tolist()
        ([[1, 1, 2, 0, 0]], [3])
    """
    log_y = frame_log_probabilities(logits, logit_lengths, blank)
    frames = ops.shape(log_y)[1]
    # top_k, because LiteRT lacks an operator that argmax requires.
    gain, best = ops.top_k(log_y, 1)
    best = ops.cast(ops.squeeze(best, -1), "int32")
    before = ops.pad(best, ((0, 0), (1, 0)), constant_values=blank)[:, :-1]
    keep = ops.logical_and(ops.not_equal(best, blank), ops.not_equal(best, before))
    lengths = ops.sum(ops.cast(keep, "int32"), axis=1)
    # Sorts the frames to remove behind those to keep, in their original order.
    index = ops.arange(frames, dtype="int32")
    order = ops.argsort(ops.where(keep, index, index + frames), axis=-1)
    labels = ops.take_along_axis(best, ops.cast(order, "int32"), axis=1)
    labels = ops.where(padding_mask(lengths, frames), labels, blank)
    return labels, lengths, ops.sum(ops.squeeze(gain, -1), axis=1)


def frame_log_probabilities(logits: Any, logit_lengths: Any, blank: int) -> Any:
    """Log-probabilities of the classes in each frame.

    Frames beyond the length of a sequence get a certain blank, which does not change the labels.

    Formula: `log softmax(logits_t)` if t < length, otherwise 0 for the blank and nearly -inf for
        the other classes

    Args:
        logits: Unnormalized class scores (B, T, V).
        logit_lengths: Integers (B,).
        blank: Index of the blank class.

    Returns:
        Log-probabilities (B, T, V), float32.

    Raises:
        ValueError: If `logits` does not have three axes, or `blank` is not a class index.

    Example:
        >>> log_y = frame_log_probabilities(ops.zeros((1, 2, 2)), [1], blank=0)
        >>> ops.convert_to_numpy(ops.exp(log_y)).round(2).tolist()
        [[[0.5, 0.5], [1.0, 0.0]]]
    """
    logits = ops.cast(logits, "float32")
    if len(logits.shape) != 3:
        raise ValueError(f"logits must have the shape (B, T, V); received {tuple(logits.shape)}.")
    classes = logits.shape[-1]
    if not 0 <= blank < classes:
        raise ValueError(f"blank must be a class index from 0 to {classes - 1}; received {blank}.")
    open_frames = ops.expand_dims(padding_mask(logit_lengths, ops.shape(logits)[1]), -1)
    is_blank = ops.equal(ops.arange(classes, dtype="int32"), blank)
    closed = ops.where(is_blank, 0.0, IMPOSSIBLE)
    # Finite even if a logit is minus infinity.
    log_y = ops.maximum(ops.log_softmax(logits, axis=-1), IMPOSSIBLE)
    return ops.where(open_frames, log_y, closed)
