"""Transformer blocks in NumPy float64. Weights come in the order of the layers' `weights`."""

import math

import numpy as np

from tests.oracles.attention import OF_SCORE, causal, multi_head

EPSILON = 1e-6


def layer_norm(x, gamma, beta, epsilon=EPSILON):
    centred = x - x.mean(-1, keepdims=True)
    return gamma * centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon) + beta


def rms_norm(x, scale, epsilon=EPSILON):
    return scale * x / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon)


def normalize(x, weights, epsilon):
    """By gamma and beta, or by the scale alone."""
    return {1: rms_norm, 2: layer_norm}[len(weights)](x, *weights, epsilon)


def relu(x):
    return np.maximum(x, 0)


def gelu(x):
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def glu(x, activation=lambda gate: 1 / (1 + np.exp(-gate))):
    value, gate = np.split(x, 2, axis=-1)
    return value * activation(gate)


def swiglu(x):
    return glu(x, lambda gate: gate / (1 + np.exp(-gate)))


def geglu(x):
    return glu(x, gelu)


def geglu_tanh(x):
    return glu(x, gelu_tanh)


def gelu_tanh(x):
    """Hendrycks & Gimpel 2016, section 2."""
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


ACTIVATIONS = {f.__name__: f for f in (relu, gelu, gelu_tanh, glu, swiglu, geglu, geglu_tanh)}


def feed_forward(weights, x, activation="relu"):
    if len(weights) == 2:  # without biases
        weights = weights[0], 0.0, weights[1], 0.0
    hidden_kernel, hidden_bias, kernel, bias = weights
    return ACTIVATIONS[activation](x @ hidden_kernel + hidden_bias) @ kernel + bias


def residual(x, norm, sublayer, pre_norm, epsilon=EPSILON, behind=()):
    """`norm` of the input, or of the sum; `behind` of the output of the sublayer, if there is."""
    if pre_norm:
        change = sublayer(normalize(x, norm, epsilon) if len(norm) else x)
        return x + (normalize(change, behind, epsilon) if len(behind) else change)
    return normalize(x + sublayer(x), norm, epsilon)


def norms_from(weights, sublayers, output_norm, first_norm):
    """The weights of the two normalizations of each sublayer, maybe none, and those behind."""
    every, at = [], 0
    for number in range(sublayers):
        pair = []
        for there in (first_norm or number > 0, output_norm):
            pair.append(weights[at : at + 2 * there])
            at += 2 * there
        every.append(pair)
    return every, weights[at:]


def encoder_block(
    weights,
    x,
    mask,
    activation="relu",
    pre_norm=False,
    epsilon=EPSILON,
    output_norm=False,
    first_norm=True,
    **options,
):
    """`mask` (B, T, T); `options` of the attention."""
    how = (pre_norm, epsilon)
    of_scheme, weights = of_position(weights, **options)
    feeding = weights[:4]
    norms, attending = norms_from(weights[4:], 2, output_norm, first_norm)
    attending = with_scheme(attending, of_scheme, options)

    def attend(x):
        return multi_head(attending, x, x, mask=mask, **options)[0]

    x = residual(x, norms[0][0], attend, *how, norms[0][1])

    def feed(x):
        return feed_forward(feeding, x, activation)

    return residual(x, norms[1][0], feed, *how, norms[1][1])


def decoder_block(
    weights,
    x,
    memory,
    padding_mask,
    memory_mask,
    activation="relu",
    pre_norm=False,
    epsilon=EPSILON,
    output_norm=False,
    first_norm=True,
    **options,
):
    """`padding_mask` (B, T), `memory_mask` (B, S); `options` of the attentions."""
    how = (pre_norm, epsilon)
    x = np.where(padding_mask[..., None], x, 0)
    of_scheme, weights = of_position(weights, **options)
    feeding = weights[:4]
    norms, attending = norms_from(weights[4:], 3, output_norm, first_norm)
    half = len(attending) // 2
    to_self, to_memory = with_scheme(attending[:half], of_scheme, options), attending[half:]
    past = padding_mask[:, None, :] & causal(x.shape[1])
    seen = np.broadcast_to(memory_mask[:, None, :], (*x.shape[:2], memory.shape[1]))
    of_both = {name: options[name] for name in options.keys() - {"position", "sliding_window"}}

    def attend(x):
        return multi_head(to_self, x, x, mask=past, **options)[0]

    def look(x):
        return multi_head(to_memory, x, memory, mask=seen, **of_both)[0]

    feed = lambda x: feed_forward(feeding, x, activation)  # noqa: E731
    for sublayer, (before, behind) in zip((attend, look, feed), norms, strict=True):
        x = residual(x, before, sublayer, *how, behind)
    return x


def given_sublayers(
    weights,
    x,
    attend,
    to_memory=None,
    activation="relu",
    rms=True,
    biases=True,
    epsilon=EPSILON,
):
    """A pre-norm block of given sublayers: `attend(weights, x)`, and for a decoder
    `to_memory(weights, x)`, which takes the last eight weights."""
    weights, how = list(weights), (True, epsilon)

    def take(count):
        return [weights.pop(0) for _ in range(count)]

    feeding = take(4 if biases else 2)
    norms = [take(1 if rms else 2) for _ in range(2 if to_memory is None else 3)]
    x = residual(x, norms.pop(0), lambda x: attend(weights[: -8 if to_memory else None], x), *how)
    if to_memory is not None:
        x = residual(x, norms.pop(0), lambda x: to_memory(weights[-8:], x), *how)
    return residual(x, norms[0], lambda x: feed_forward(feeding, x, activation), *how)


def with_scheme(weights, of_scheme, options):
    """The weights of an attention, those of its position scheme after those of its score."""
    count = OF_SCORE.get(options.get("score"), 0)
    return [*weights[:count], *of_scheme, *weights[count:]]


def of_position(weights, position=None, **options):
    """A position scheme's weights, which come first, and the others."""
    count = 2 if position and position[0] == "shaw" else 0
    return weights[:count], weights[count:]
