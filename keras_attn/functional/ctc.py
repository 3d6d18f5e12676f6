"""The likelihood of a label sequence, summed over its alignments with the frames (CTC).

An alignment assigns a label or the blank to each frame. It stands for the label sequence that is
left after merging repeated symbols and then removing blanks. It moves through the 2L + 1 states
blank, label 1, blank, label 2, … blank: at each frame it stays in its state, moves to the next one,
or skips the blank between two different labels.

All computations are in log space, and the sums over alignments are rescaled at every frame, so that
precision is kept over thousands of frames. The gradient combines the forward and the backward sums
instead of differentiating through the loop.
"""

from typing import Any

from keras import ops

from keras_attn.functional.masks import padding_mask, zero_masked
from keras_attn.functional.saving_loop import saving_loop
from keras_attn.functional.softmax import masked_softmax

# The logarithm of a zero probability; finite, so that the difference of two is not NaN.
IMPOSSIBLE = -1e30


def alignment_loss(
    labels: Any, logits: Any, label_lengths: Any, frame_mask: Any, blank: int = 0
) -> Any:
    """Negative log-likelihood of each label sequence, in float32.

    A label sequence that has no alignment has a loss of 0 and no gradient.

    Source: Graves et al. 2006, section 4.1; rescaling: Rabiner 1989, section V.A.
    Formula: `alpha_t(s) = (alpha_{t-1}(s) + alpha_{t-1}(s-1) + skip(s) alpha_{t-1}(s-2)) y_t(z_s)`,
        `beta` likewise from the end, `loss = -log(alpha_T(2L) + alpha_T(2L-1))` and
        `dloss / dlogit_t(k) = y_t(k) - sum_{s: z_s = k} softmax_s(log alpha_t + log beta_t)`, z the
        states, y_t the softmax of the logits and `beta_t` without the frame t itself

    Args:
        labels: Integers (B, L); values beyond the length of a sequence are ignored.
        logits: Unnormalized class scores (B, T, V).
        label_lengths: Integers (B,).
        frame_mask: Bool (B, T); masked frames are skipped.
        blank: Index of the blank class.

    Returns:
        Losses (B,), float32.

    Example:
        >>> # Of the 9 ways to label two frames, one gives the sequence 1 2, and three give 1.
        >>> loss = alignment_loss([[1, 2], [1, 2]], ops.zeros((2, 2, 3)), [2, 1], ops.ones((2, 2)))
        >>> ops.convert_to_numpy(9 * ops.exp(-loss)).round(3).tolist()
        [1.0, 3.0]
    """
    logits, frame_mask = ops.cast(logits, "float32"), ops.cast(frame_mask, "bool")
    if logits.shape[1] == 0:  # JAX cannot read from an empty sequence: add one masked frame
        logits = ops.pad(logits, ((0, 0), (0, 1), (0, 0)))
        frame_mask = ops.zeros_like(logits[:, :, 0], dtype="bool")
    logits = zero_masked(logits, frame_mask)
    labels = ops.cast(labels, "int32")
    label_lengths = ops.cast(label_lengths, "int32")
    labels = ops.where(padding_mask(label_lengths, ops.shape(labels)[1]), labels, blank)
    states = _states(labels, blank)
    before = _shift(states, 2, blank)
    barrier = ops.where(ops.equal(states, before), IMPOSSIBLE, 0.0)  # forbids skipping to a state
    number = ops.expand_dims(ops.arange(ops.shape(states)[1], dtype="int32"), 0)
    last = 2 * ops.expand_dims(label_lengths, -1)
    ends = ops.logical_or(ops.equal(number, last), ops.equal(number, last - 1))
    start = ops.zeros_like(barrier) + ops.where(ops.equal(number, 0), 0.0, IMPOSSIBLE)
    end = ops.where(ends, 0.0, IMPOSSIBLE)
    keep = ops.expand_dims(ops.transpose(frame_mask), -1)

    @ops.custom_gradient
    def loss(logits):
        log_y = ops.log_softmax(logits, axis=-1)
        # Repeated for every frame, because Keras takes the least number of frames to be one.
        shape = (*ops.shape(logits)[:2], ops.shape(states)[1])
        of_frames = ops.broadcast_to(ops.expand_dims(states, 1), shape)
        emitted = ops.take_along_axis(log_y, of_frames, axis=-1)
        # A logit may be minus infinity; like IMPOSSIBLE, it stands for zero probability.
        emitted = ops.maximum(ops.transpose(emitted, (1, 0, 2)), IMPOSSIBLE)
        alphas, alpha, scale = _forward(emitted, keep, barrier, start)
        likelihood = ops.logsumexp(alpha + end, axis=-1) + scale[:, 0]
        possible = likelihood > IMPOSSIBLE / 2

        def gradient(*upstreams, upstream=None):
            # PyTorch passes it by name, after the inputs.
            upstream = upstreams[0] if upstream is None else upstream
            betas = _backward(emitted, keep, barrier, end)
            # The rescaling is the same for all states of a frame and cancels in their softmax.
            share = ops.transpose(masked_softmax(alphas + betas), (1, 0, 2))
            of_blank = ops.sum(share[:, :, ::2], axis=-1, keepdims=True)
            classes = logits.shape[-1]
            target = ops.matmul(share[:, :, 1::2], ops.one_hot(labels, classes))
            target = target + of_blank * ops.one_hot(blank, classes)
            upstream = ops.reshape(ops.where(possible, upstream, 0.0), (-1, 1, 1))
            open_frames = ops.expand_dims(ops.cast(frame_mask, "float32"), -1)
            return (ops.exp(log_y) - target) * (upstream * open_frames)

        return ops.where(possible, -likelihood, 0.0), gradient

    return loss(logits)


def _states(labels, blank):
    """Interleaves labels with blanks, (B, L) to (B, 2L + 1): blank, label 1, blank, … blank."""
    rows, length = ops.shape(labels)[0], ops.shape(labels)[1]
    pairs = ops.stack([ops.full_like(labels, blank), labels], axis=-1)
    return ops.pad(ops.reshape(pairs, (rows, 2 * length)), ((0, 0), (0, 1)), constant_values=blank)


def _shift(x, by, fill=IMPOSSIBLE):
    """Shifts the columns to the right, or to the left if `by` is negative."""
    if by > 0:
        return ops.pad(x, ((0, 0), (by, 0)), constant_values=fill)[:, :-by]
    return ops.pad(x, ((0, 0), (0, -by)), constant_values=fill)[:, -by:]


def _add(a, b, c):
    """Log of the sum of three numbers given by their logarithms (log-sum-exp)."""
    top = ops.maximum(ops.maximum(a, b), c)
    return top + ops.log(ops.exp(a - top) + ops.exp(b - top) + ops.exp(c - top))


def _forward(emitted, keep, barrier, start):
    """Returns alpha of every frame (T, B, S), the last alpha, and the log of its rescaling."""

    def step(inputs, states):
        (emitted, keep), (alpha, scale) = inputs, states
        new = _add(alpha, _shift(alpha, 1), _shift(alpha, 2) + barrier) + emitted
        peak = ops.max(new, axis=-1, keepdims=True, initial=IMPOSSIBLE)
        alpha, scale = ops.where(keep, new - peak, alpha), ops.where(keep, scale + peak, scale)
        return [alpha], [alpha, scale]

    first = [start, ops.zeros_like(start[:, :1])]
    (alphas,), last = saving_loop(step, [emitted, keep], first, [ops.shape(start)[1]])
    return alphas, *last


def _backward(emitted, keep, barrier, end):
    """Returns beta of every frame, (T, B, S)."""

    def step(inputs, states):
        (emitted, keep), (beta,) = inputs, states
        through = beta + emitted
        new = _add(through, _shift(through, -1), _shift(through + barrier, -2))
        new = new - ops.max(new, axis=-1, keepdims=True, initial=IMPOSSIBLE)
        return [beta], [ops.where(keep, new, beta)]

    (betas,), _ = saving_loop(step, [emitted, keep], [end], [ops.shape(end)[1]], reverse=True)
    return betas
