"""The LSTM over a whole sequence, with a hand-written gradient.

Automatic differentiation of a loop stores every intermediate result of every step and accumulates
the gradient of the recurrent kernel step by step. Here the forward loop stores only the gates and
the cell state, the backward loop computes the gradients of the pre-activations, and the gradient of
the kernel is one matrix product per gate after the loop.
"""

from collections.abc import Callable
from typing import Any

from keras import ops, tree

from keras_attn.functional.saving_loop import saving_loop
from keras_attn.recurrent.gates import add_before, outer


def lstm_step(
    pre_activations: list, c: Any, activation: Callable = ops.tanh, gate: Callable = ops.sigmoid
) -> tuple[Any, Any, list]:
    """Computes one step's h, c and gates from the pre-activations of i, f, g, o, (B, U) each."""
    i, f, g, o = pre_activations
    i, f, g, o = gate(i), gate(f), activation(g), gate(o)
    c = f * c + i * g
    return o * activation(c), c, [i, f, g, o]


def lstm_sequence(
    projected: list, kernel: Any, h: Any, c: Any, mask: Any = None, truncate: int | None = None
) -> tuple[Any, Any, Any]:
    """Runs the LSTM over a whole sequence.

    Args:
        projected: Projected inputs of i, f, g, o, (T, B, U) each.
        kernel: Recurrent kernel (U, 4U).
        h: Initial hidden state (B, U).
        c: Initial cell state (B, U).
        mask: Bool (T, B, 1), or None; a masked step keeps the state unchanged.
        truncate: Number of steps after which the gradient stops, or None.

    Returns:
        Hidden states (T, B, U), the last hidden state (B, U), and the last cell state (B, U).
    """

    @ops.custom_gradient
    def sequence(i, f, g, o, kernel, h, c):
        kernels = ops.split(kernel, 4, axis=-1)
        hs, *saved, last_h, last_c = _forward([i, f, g, o], kernels, h, c, mask)

        def gradient(*upstream):
            # TensorFlow passes one argument per output, JAX a single one for all outputs.
            dhs, *d_last = tree.flatten(upstream)
            *dz, dh, dc = _backward([dhs, *saved], d_last, kernels, mask, truncate)
            before = add_before(h, hs)
            dkernel = ops.concatenate([outer(before, d) for d in dz], axis=-1)
            return *dz, dkernel, dh, dc

        return (hs, last_h, last_c), gradient

    return sequence(*projected, kernel, h, c)


def _forward(projected, kernels, h, c, mask):
    def step(inputs, states):
        (i, f, g, o, *m), (h, c) = inputs, states
        pairs = zip((i, f, g, o), kernels, strict=True)
        new_h, new_c, gates = lstm_step([z + ops.matmul(h, k) for z, k in pairs], c)
        if m:
            new_h, new_c = ops.where(m[0], new_h, h), ops.where(m[0], new_c, c)
        return [new_h, c, *gates], [new_h, new_c]

    inputs = projected if mask is None else [*projected, mask]
    stacked, last = saving_loop(step, inputs, [h, c], [h.shape[-1]] * 6)
    return *stacked, *last


def _backward(inputs, d_last, kernels, mask, truncate):
    transposed = [ops.transpose(kernel) for kernel in kernels]

    def step(inputs, states):
        (d_output, c, i, f, g, o, *m), (dh, dc) = inputs, states
        dh = dh + d_output
        dh_held, dc_held = (ops.where(m[0], 0, d) if m else 0 for d in (dh, dc))
        dh, dc = (ops.where(m[0], d, 0) if m else d for d in (dh, dc))
        tanh_c = ops.tanh(f * c + i * g)
        dc = dc + dh * o * (1 - tanh_c * tanh_c)
        dz = [
            dc * g * i * (1 - i),
            dc * c * f * (1 - f),
            dc * i * (1 - g * g),
            dh * tanh_c * o * (1 - o),
        ]
        dh = sum(ops.matmul(d, k) for d, k in zip(dz, transposed, strict=True))
        return dz, [dh + dh_held, dc * f + dc_held]

    inputs = inputs if mask is None else [*inputs, mask]
    widths = [kernels[0].shape[0]] * 4
    dz, last = saving_loop(step, inputs, d_last, widths, reverse=True, truncate=truncate)
    return *dz, *last
