"""The likelihood of a label string, summed over its alignments with the frames (CTC).

An alignment gives each frame a label or the blank, and stands for the string that is left when
repeated symbols are merged and then blanks are dropped. It runs through the 2L + 1 states
blank, label 1, blank, label 2, … blank: it stays in a state, goes on to the next, or skips the
blank between two different labels.

Everything is in logarithms, and the sums over alignments are rescaled at every frame, so that
thousands of frames lose no precision. The gradient is the forward and the backward sum put
together, not the differentiated loop.
"""

from typing import Any

from keras import ops

from keras_attn.functional.masks import padding_mask
from keras_attn.functional.softmax import masked_softmax
from keras_attn.functional.time_loop import saving_loop

# The logarithm of a probability of zero; finite, so that a difference of two is not NaN.
IMPOSSIBLE = -1e30


def alignment_loss(
    labels: Any, logits: Any, label_lengths: Any, frame_mask: Any, blank: int = 0
) -> Any:
    """Negative log-likelihood of each label string, in float32.

    Source: Graves et al. 2006, section 4.1; the rescaling is that of Rabiner 1989, section V.A.
    Formula: `alpha_t(s) = (alpha_{t-1}(s) + alpha_{t-1}(s-1) + skip(s) alpha_{t-1}(s-2))
    y_t(z_s)`, `beta` likewise from the end, `loss = -log(alpha_T(2L) + alpha_T(2L-1))` and
    `dloss / dlogit_t(k) = y_t(k) - sum_{s: z_s = k} softmax_s(log alpha_t + log beta_t)`, z the
    states, y_t the softmax of the logits and `beta_t` without the frame t itself

    A string without an alignment costs 0 and has no gradient.

    Args:
        labels: Integers (B, L), what is beyond the length of a string is not read.
        logits: Unnormalized scores (B, T, V).
        label_lengths: Integers (B,).
        frame_mask: Bool (B, T); a masked frame is as if it were not there.
        blank: The class that stands for no label.

    Outputs: float32 (B,).

    Example:
        >>> # Of the 9 ways to fill two frames one is the string 1 2, three are the string 1.
        >>> loss = alignment_loss([[1, 2], [1, 2]], ops.zeros((2, 2, 3)), [2, 1], ops.ones((2, 2)))
        >>> ops.convert_to_numpy(9 * ops.exp(-loss)).round(3).tolist()
        [1.0, 3.0]
    """
    logits, frame_mask = ops.cast(logits, "float32"), ops.cast(frame_mask, "bool")
    if logits.shape[1] == 0:  # JAX reads nothing from an empty sequence: one frame, masked
        logits = ops.pad(logits, ((0, 0), (0, 1), (0, 0)))
        frame_mask = ops.zeros_like(logits[:, :, 0], dtype="bool")
    labels = ops.cast(labels, "int32")
    label_lengths = ops.cast(label_lengths, "int32")
    labels = ops.where(padding_mask(label_lengths, ops.shape(labels)[1]), labels, blank)
    states = _states(labels, blank)
    before = _shift(states, 2, blank)
    barrier = ops.where(ops.equal(states, before), IMPOSSIBLE, 0.0)  # what cannot be skipped to
    number = ops.expand_dims(ops.arange(ops.shape(states)[1], dtype="int32"), 0)
    last = 2 * ops.expand_dims(label_lengths, -1)
    ends = ops.logical_or(ops.equal(number, last), ops.equal(number, last - 1))
    start = ops.zeros_like(barrier) + ops.where(ops.equal(number, 0), 0.0, IMPOSSIBLE)
    end = ops.where(ends, 0.0, IMPOSSIBLE)
    keep = ops.expand_dims(ops.transpose(frame_mask), -1)

    @ops.custom_gradient
    def loss(logits):
        log_y = ops.log_softmax(logits, axis=-1)
        emitted = ops.take_along_axis(log_y, ops.expand_dims(states, 1), axis=-1)
        # A logit of minus infinity is allowed, and is impossible like anything else.
        emitted = ops.maximum(ops.transpose(emitted, (1, 0, 2)), IMPOSSIBLE)
        alphas, alpha, scale = _forward(emitted, keep, barrier, start)
        likelihood = ops.logsumexp(alpha + end, axis=-1) + ops.squeeze(scale, -1)
        possible = likelihood > IMPOSSIBLE / 2

        def gradient(*upstreams, upstream=None):
            # PyTorch gives it by name, after the inputs.
            upstream = upstreams[0] if upstream is None else upstream
            betas = _backward(emitted, keep, barrier, end)
            # The rescaling is the same for all states of a frame: their softmax is without it.
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
    """Blank, label 1, blank, … blank: (B, L) to (B, 2L + 1)."""
    rows, length = ops.shape(labels)[0], ops.shape(labels)[1]
    pairs = ops.stack([ops.full_like(labels, blank), labels], axis=-1)
    return ops.pad(ops.reshape(pairs, (rows, 2 * length)), ((0, 0), (0, 1)), constant_values=blank)


def _shift(x, by, fill=IMPOSSIBLE):
    """Moves the columns to the right, or to the left where `by` is negative."""
    if by > 0:
        return ops.pad(x, ((0, 0), (by, 0)), constant_values=fill)[:, :-by]
    return ops.pad(x, ((0, 0), (0, -by)), constant_values=fill)[:, -by:]


def _add(a, b, c):
    """The logarithm of the sum of three numbers given by their logarithms."""
    top = ops.maximum(ops.maximum(a, b), c)
    return top + ops.log(ops.exp(a - top) + ops.exp(b - top) + ops.exp(c - top))


def _forward(emitted, keep, barrier, start):
    """alpha of every frame (T, B, S), of the last, and what it was divided by in all."""

    def step(inputs, states):
        (emitted, keep), (alpha, scale) = inputs, states
        new = _add(alpha, _shift(alpha, 1), _shift(alpha, 2) + barrier) + emitted
        peak = ops.max(new, axis=-1, keepdims=True)
        alpha, scale = ops.where(keep, new - peak, alpha), ops.where(keep, scale + peak, scale)
        return [alpha], [alpha, scale]

    first = [start, ops.zeros_like(start[:, :1])]
    (alphas,), last = saving_loop(step, [emitted, keep], first, [ops.shape(start)[1]])
    return alphas, *last


def _backward(emitted, keep, barrier, end):
    """beta of every frame, (T, B, S)."""

    def step(inputs, states):
        (emitted, keep), (beta,) = inputs, states
        through = beta + emitted
        new = _add(through, _shift(through, -1), _shift(through + barrier, -2))
        new = new - ops.max(new, axis=-1, keepdims=True)
        return [beta], [ops.where(keep, new, beta)]

    (betas,), _ = saving_loop(step, [emitted, keep], [end], [ops.shape(end)[1]], reverse=True)
    return betas
