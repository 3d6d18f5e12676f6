"""Recurrence in NumPy float64, one step at a time."""

import numpy as np

from tests.oracles.attention import attention


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(weights, x, states):
    """Keras's weights, gates in the order i f c o."""
    kernel, recurrent_kernel, bias = weights
    h, c = states
    i, f, g, o = np.split(x @ kernel + h @ recurrent_kernel + bias, 4, axis=-1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return [sigmoid(o) * np.tanh(c), c]


def gru(weights, x, states, reset_after):
    """Keras's weights, gates in the order z r h."""
    kernel, recurrent_kernel, bias = weights
    (h,) = states
    bias, recurrent_bias = bias if reset_after else (bias, np.zeros_like(bias))
    x_z, x_r, x_h = np.split(x @ kernel + bias, 3, axis=-1)
    u_z, u_r, u_h = np.split(recurrent_kernel, 3, axis=-1)
    b_z, b_r, b_h = np.split(recurrent_bias, 3, axis=-1)
    z, r = sigmoid(x_z + h @ u_z + b_z), sigmoid(x_r + h @ u_r + b_r)
    inner = r * (h @ u_h + b_h) if reset_after else (r * h) @ u_h
    return [z * h + (1 - z) * np.tanh(x_h + inner)]


def attending_gru(weights, x, states, memory, mask, order, score, normalizer):
    """Weights: of the fed vector, of the output, the GRU's three, the score's."""
    feed, output, kernel, recurrent_kernel, bias, *of_score = weights
    h, fed = states

    def look(h):
        seen = np.broadcast_to(mask[:, None], (len(h), 1, memory.shape[1]))
        found, _ = attention(
            h[:, None], memory, mask=seen, score=score, normalizer=normalizer, weights=of_score
        )
        return found[:, 0]

    if order == "bahdanau":
        fed = context = look(h)
    # A vector fed in is more input, with a kernel of its own.
    together = [np.concatenate([kernel, feed]), recurrent_kernel, bias]
    (h,) = gru(together, np.concatenate([x, fed], axis=-1), [h], reset_after=False)
    if order == "luong":
        context = look(h)
    return [h, np.tanh(np.concatenate([context, h], axis=-1) @ output)]


def sequence(step, x, states, mask, output, go_backwards, zero_output_for_mask):
    """Every output, then the last states; `output` numbers the state that is given out."""
    before, outputs = np.zeros_like(states[output]), []
    for t in range(x.shape[1])[:: -1 if go_backwards else 1]:
        keep = mask[:, t, None]
        new = step(x[:, t], states)
        states = [np.where(keep, a, b) for a, b in zip(new, states, strict=True)]
        before = np.where(keep, new[output], before)
        outputs.append(np.where(keep, before, 0) if zero_output_for_mask else before)
    return [np.stack(outputs, axis=1), *states]
