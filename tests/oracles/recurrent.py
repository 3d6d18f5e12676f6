"""Recurrent cells in NumPy float64, from the formulas, and a loop that runs them over time.

A cell here is a function (x, states) -> (output, states) of one time step.
"""

import numpy as np

from tests.oracles.attention import attention


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def modrelu(z, bias):
    return np.sign(z) * np.maximum(np.abs(z) + bias, 0)


ACTIVATIONS = {
    "tanh": np.tanh,
    "sigmoid": sigmoid,
    "relu": lambda z: np.maximum(z, 0),
    "linear": lambda z: z,
}


def elman(kernel, recurrent_kernel, bias, activation="tanh"):
    def step(x, states):
        (h,) = states
        h = ACTIVATIONS[activation](x @ kernel + h @ recurrent_kernel + bias)
        return h, [h]

    return step


def jordan(
    kernel,
    recurrent_kernel,
    bias,
    output_kernel,
    output_bias,
    activation="tanh",
    output_activation="tanh",
):
    def step(x, states):
        (y,) = states
        h = ACTIVATIONS[activation](x @ kernel + y @ recurrent_kernel + bias)
        y = ACTIVATIONS[output_activation](h @ output_kernel + output_bias)
        return y, [y]

    return step


def rotation(parameter):
    """exp(P - Pᵀ), by the eigenvalues of a Hermitian matrix."""
    angles, vectors = np.linalg.eigh(1j * (parameter - parameter.T))
    return ((vectors * np.exp(-1j * angles)) @ vectors.conj().T).real


def orthogonal(kernel, parameter, bias, activation="modrelu"):
    if activation != "modrelu":
        return elman(kernel, rotation(parameter), bias, activation)

    def step(x, states):
        (h,) = states
        h = modrelu(x @ kernel + h @ rotation(parameter), bias)
        return h, [h]

    return step


def lstm(kernel, recurrent_kernel, bias):
    """Gates in the order i f g o."""

    def step(x, states):
        h, c = states
        i, f, g, o = np.split(x @ kernel + h @ recurrent_kernel + bias, 4, axis=-1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        return h, [h, c]

    return step


def gru(kernel, recurrent_kernel, bias, reset_after=False):
    """In the order z r h; with reset_after the bias is (input, recurrent)."""
    bias, recurrent_bias = bias if reset_after else (bias, np.zeros_like(bias))
    u_z, u_r, u_h = np.split(recurrent_kernel, 3, axis=-1)
    b_z, b_r, b_h = np.split(recurrent_bias, 3)

    def step(x, states):
        (h,) = states
        x_z, x_r, x_h = np.split(x @ kernel + bias, 3, axis=-1)
        z, r = sigmoid(x_z + h @ u_z + b_z), sigmoid(x_r + h @ u_r + b_r)
        inner = r * (h @ u_h + b_h) if reset_after else (r * h) @ u_h
        h = z * h + (1 - z) * np.tanh(x_h + inner)
        return h, [h]

    return step


def attending(cell, weights, memory, memory_mask, order, score, score_weights=()):
    """`cell(*weights)` makes the cell inside; its weights follow those of the vector fed in and
    of the output."""
    feed_kernel, output_kernel, kernel, *rest = weights
    # A vector fed in is more input, with a kernel of its own.
    inside = cell(np.concatenate([kernel, feed_kernel]), *rest)

    def look(h):
        mask = memory_mask[:, None]
        context, maps = attention(h[:, None], memory, mask=mask, score=score, weights=score_weights)
        return context[:, 0], maps[:, 0]

    def step(x, states):
        *states, fed = states
        if order == "bahdanau":
            context, weights = look(states[0])
            fed = context
        h, states = inside(np.concatenate([x, fed], axis=-1), states)
        if order == "luong":
            context, weights = look(h)
        output = np.tanh(np.concatenate([context, h], axis=-1) @ output_kernel)
        return output, [*states, output], weights

    return step


def run(step, x, states, mask=None, go_backwards=False):
    """Outputs (B, T, U), the last states and, of a cell that attends, the maps (B, T, S)."""
    states = [np.asarray(state, np.float64) for state in states]
    mask = np.ones(x.shape[:2], bool) if mask is None else mask
    outputs, maps = [], []
    for t in reversed(range(x.shape[1])) if go_backwards else range(x.shape[1]):
        keep = mask[:, t, None]
        output, new_states, *weights = step(x[:, t].astype(np.float64), states)
        before = outputs[-1] if outputs else np.zeros_like(output)
        outputs.append(np.where(keep, output, before))
        states = [np.where(keep, new, old) for new, old in zip(new_states, states, strict=True)]
        maps.append([np.where(keep, w, 0) for w in weights])
    stacked = np.stack(outputs, axis=1)
    return (
        (stacked, states, np.stack([m for (m,) in maps], axis=1)) if maps[0] else (stacked, states)
    )
