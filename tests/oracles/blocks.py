"""Transformer blocks in NumPy float64. Weights come in the order of the layers' `weights`."""

import math

import numpy as np

from tests.oracles.attention import causal, multi_head

EPSILON = 1e-6


def layer_norm(x, gamma, beta, epsilon=EPSILON):
    centred = x - x.mean(-1, keepdims=True)
    return gamma * centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon) + beta


def relu(x):
    return np.maximum(x, 0)


def gelu(x):
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def glu(x):
    value, gate = np.split(x, 2, axis=-1)
    return value / (1 + np.exp(-gate))


def gelu_tanh(x):
    """Hendrycks & Gimpel 2016, section 2."""
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


ACTIVATIONS = {f.__name__: f for f in (relu, gelu, gelu_tanh, glu)}


def feed_forward(weights, x, activation="relu"):
    hidden_kernel, hidden_bias, kernel, bias = weights
    return ACTIVATIONS[activation](x @ hidden_kernel + hidden_bias) @ kernel + bias


def residual(x, norm, sublayer, pre_norm, epsilon=EPSILON):
    if pre_norm:
        return x + sublayer(layer_norm(x, *norm, epsilon))
    return layer_norm(x + sublayer(x), *norm, epsilon)


def encoder_block(weights, x, mask, activation="relu", pre_norm=False, epsilon=EPSILON, **options):
    """`mask` (B, T, T); `options` of the attention."""
    how = (pre_norm, epsilon)
    of_scheme, weights = of_position(weights, **options)
    feeding, norms, attending = weights[:4], weights[4:8], [*of_scheme, *weights[8:]]

    def attend(x):
        return multi_head(attending, x, x, mask=mask, **options)[0]

    x = residual(x, norms[:2], attend, *how)
    return residual(x, norms[2:], lambda x: feed_forward(feeding, x, activation), *how)


def decoder_block(
    weights,
    x,
    memory,
    padding_mask,
    memory_mask,
    activation="relu",
    pre_norm=False,
    epsilon=EPSILON,
    **options,
):
    """`padding_mask` (B, T), `memory_mask` (B, S); `options` of the attentions."""
    how = (pre_norm, epsilon)
    x = np.where(padding_mask[..., None], x, 0)
    of_scheme, weights = of_position(weights, **options)
    feeding, norms = weights[:4], weights[4:10]
    to_self, to_memory = [*of_scheme, *weights[10:18]], weights[18:]
    past = padding_mask[:, None, :] & causal(x.shape[1])
    seen = np.broadcast_to(memory_mask[:, None, :], (*x.shape[:2], memory.shape[1]))
    grouped = {"num_key_value_heads": options.get("num_key_value_heads")}

    def attend(x):
        return multi_head(to_self, x, x, mask=past, **options)[0]

    def look(x):
        return multi_head(to_memory, x, memory, mask=seen, **grouped)[0]

    x = residual(x, norms[:2], attend, *how)
    x = residual(x, norms[2:4], look, *how)
    return residual(x, norms[4:], lambda x: feed_forward(feeding, x, activation), *how)


def of_position(weights, position=None, **options):
    """A position scheme's weights, which come first, and the others."""
    count = 2 if position and position[0] == "shaw" else 0
    return weights[:count], weights[count:]
