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
    "softmax": lambda z: np.exp(z) / np.exp(z).sum(-1, keepdims=True),
    "softsign": lambda z: z / (1 + np.abs(z)),
    "hard_sigmoid": lambda z: np.clip(z / 6 + 0.5, 0, 1),
}


def per_gate(x, kernel, gates, masks=None):
    """x @ kernel, the gates' kernels being side by side, after each gate's own dropout mask."""
    masks = np.ones((gates, *x.shape)) if masks is None else masks
    kernels = np.split(kernel, gates, axis=-1)
    return [(x * mask) @ k for mask, k in zip(masks, kernels, strict=True)]


def elman(kernel, recurrent_kernel, bias=0.0, activation="tanh", masks=(None, None)):
    def step(x, states):
        (h,) = states
        (from_x,) = per_gate(x, kernel, 1, masks[0])
        (from_h,) = per_gate(h, recurrent_kernel, 1, masks[1])
        h = ACTIVATIONS[activation](from_x + from_h + bias)
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


def lstm(
    kernel,
    recurrent_kernel,
    bias=None,
    activation="tanh",
    recurrent_activation="sigmoid",
    masks=(None, None),
):
    """Gates in the order i f g o; dropout masks of x and of h, each with one for each gate."""
    to_h, gate = ACTIVATIONS[activation], ACTIVATIONS[recurrent_activation]
    biases = np.split(np.zeros(kernel.shape[1]) if bias is None else bias, 4)

    def step(x, states):
        h, c = states
        products = per_gate(x, kernel, 4, masks[0]), per_gate(h, recurrent_kernel, 4, masks[1])
        i, f, g, o = map(sum, zip(*products, biases, strict=True))
        c = gate(f) * c + gate(i) * to_h(g)
        h = gate(o) * to_h(c)
        return h, [h, c]

    return step


def gru(
    kernel,
    recurrent_kernel,
    bias=None,
    reset_after=None,
    activation="tanh",
    recurrent_activation="sigmoid",
    masks=(None, None),
):
    """In the order z r h; with reset_after the bias is (input, recurrent), by which it is known."""
    to_h, gate = ACTIVATIONS[activation], ACTIVATIONS[recurrent_activation]
    zeros = np.zeros(kernel.shape[1])
    reset_after = bias is None or bias.ndim == 2 if reset_after is None else reset_after
    bias = zeros if bias is None else bias
    bias, recurrent_bias = bias if bias.ndim == 2 else (bias, zeros)
    b_z, b_r, b_h = np.split(recurrent_bias, 3)
    u_h = np.split(recurrent_kernel, 3, axis=-1)[2]

    def step(x, states):
        (h,) = states
        products = zip(per_gate(x, kernel, 3, masks[0]), np.split(bias, 3), strict=True)
        x_z, x_r, x_h = map(sum, products)
        h_z, h_r, h_h = per_gate(h, recurrent_kernel, 3, masks[1])
        z, r = gate(x_z + h_z + b_z), gate(x_r + h_r + b_r)
        seen = h if masks[1] is None else h * masks[1][2]
        inner = r * (h_h + b_h) if reset_after else (r * seen) @ u_h
        h = z * h + (1 - z) * to_h(x_h + inner)
        return h, [h]

    return step


def attending(
    cell,
    weights,
    memory,
    memory_mask,
    order,
    score,
    dropout=None,
    gate=False,
    deep_output=False,
):
    """`cell(*weights)` makes the cell inside; its three weights follow those of the vector fed in,
    of the output and of the gate, and precede those of the score. `dropout` is an iterator over
    the masks (B, S) of the steps. In place of a score there may be a function of the last weights,
    the query (B, 1, U), the memory and its mask, which returns the context (B, 1, C) and the maps
    (B, H, 1, S) or None."""
    feed_kernel, output_kernel, *rest = weights
    (gate_kernel, gate_bias), rest = (rest[:2], rest[2:]) if gate else ((None, None), rest)
    (kernel, *rest), score_weights = rest[:3], rest[3:]
    # A vector fed in is more input, with a kernel of its own.
    inside = cell(np.concatenate([kernel, feed_kernel]), *rest)

    def look(h):
        if callable(score):
            context, maps = score(score_weights, h[:, None], memory, memory_mask)
            return gated(context[:, 0], h), None if maps is None else maps.reshape(len(h), -1)
        mask = memory_mask[:, None]
        context, maps = attention(h[:, None], memory, mask=mask, score=score, weights=score_weights)
        if dropout is not None:
            context = (maps * next(dropout)[:, None]) @ np.asarray(memory, np.float64)
        return gated(context[:, 0], h), maps[:, 0]

    def gated(context, h):
        return context / (1 + np.exp(-(h @ gate_kernel + gate_bias))) if gate else context

    def step(x, states):
        *states, fed = states
        if order == "bahdanau":
            context, weights = look(states[0])
            fed = context
        h, states = inside(np.concatenate([x, fed], axis=-1), states)
        if order == "luong":
            context, weights = look(h)
        output = np.concatenate([context, h], axis=-1) @ output_kernel
        output = x + output if deep_output else np.tanh(output)
        return (output, [*states, output], *([] if weights is None else [weights]))

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
