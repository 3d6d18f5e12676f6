"""The LSTM over a whole sequence, with its gradient written out by hand.

Automatic differentiation of a loop keeps every intermediate of every step and adds up the
recurrent kernel's gradient step by step. Here the forward loop keeps the gates and the carry, the
backward loop gives the gradient of the pre-activations, and the kernel's gradient is one matrix
product after it.
"""

from typing import Any

import numpy as np
from keras import ops, tree

from keras_attn.functional.time_loop import saving_loop


def lstm_step(z: Any, c: Any) -> tuple[Any, Any, Any]:
    """One step from the pre-activations z (B, 4U) and the carry c: h, c and the gates (B, 4U)."""
    scale = _scale(z)
    gates = ops.tanh(z * scale) * scale + (1 - scale)
    i, f, g, o = ops.split(gates, 4, axis=-1)
    c = f * c + i * g
    return o * ops.tanh(c), c, gates


def _scale(z):
    """As `σ(z) = tanh(z / 2) / 2 + 1 / 2`, one tanh serves all gates, in one pass over z."""
    scale = np.repeat([0.5, 0.5, 1.0, 0.5], z.shape[-1] // 4)
    return ops.convert_to_tensor(scale, dtype=z.dtype)


def _slope(gates):
    """The derivative of the gates with respect to z: g (1 - g) where σ, 1 - g² where tanh."""
    scale = _scale(gates)
    return ops.square(scale) - ops.square(gates - (1 - scale))


def lstm_sequence(
    projected: Any, kernel: Any, h: Any, c: Any, mask: Any = None
) -> tuple[Any, Any, Any]:
    """The hidden state of every step, and the last states.

    Args:
        projected: Input part of the pre-activations, (T, B, 4U), in the order i f g o.
        kernel: Recurrent kernel (U, 4U).
        h: First hidden state (B, U).
        c: First carry (B, U).
        mask: Bool (T, B, 1), or None; a masked step holds the state.

    Outputs: Hidden states (T, B, U), the last of them (B, U), and the last carry (B, U).
    """

    @ops.custom_gradient
    def sequence(projected, kernel, h, c):
        hs, carries, gates, *last = _forward(projected, kernel, h, c, mask)

        def gradient(*upstream):
            # TensorFlow gives one argument an output, JAX all of them in one.
            dhs, *d_last = tree.flatten(upstream)
            dz, dh, dc = _backward([dhs, carries, gates], d_last, kernel, mask)
            before = ops.concatenate([ops.expand_dims(h, 0), hs[:-1]], axis=0)
            before = ops.reshape(before, (-1, kernel.shape[0]))
            dkernel = ops.matmul(ops.transpose(before), ops.reshape(dz, (-1, kernel.shape[1])))
            return dz, dkernel, dh, dc

        return (hs, *last), gradient

    return sequence(projected, kernel, h, c)


def _forward(projected, kernel, h, c, mask):
    units = kernel.shape[0]

    def step(inputs, states):
        (z, *m), (h, c) = inputs, states
        new_h, new_c, gates = lstm_step(z + ops.matmul(h, kernel), c)
        if m:
            new_h, new_c = ops.where(m[0], new_h, h), ops.where(m[0], new_c, c)
        return [new_h, c, gates], [new_h, new_c]

    inputs = [projected] if mask is None else [projected, mask]
    stacked, last = saving_loop(step, inputs, [h, c], [units, units, 4 * units])
    return *stacked, *last


def _backward(inputs, d_last, kernel, mask):
    transposed = ops.transpose(kernel)

    def step(inputs, states):
        (d_output, c, gates, *m), (dh, dc) = inputs, states
        dh = dh + d_output
        dh_held, dc_held = (ops.where(m[0], 0, d) if m else 0 for d in (dh, dc))
        dh, dc = (ops.where(m[0], d, 0) if m else d for d in (dh, dc))
        i, f, g, o = ops.split(gates, 4, axis=-1)
        tanh_c = ops.tanh(f * c + i * g)
        dc = dc + dh * o * (1 - tanh_c * tanh_c)
        d_gates = ops.concatenate([dc * g, dc * c, dc * i, dh * tanh_c], axis=-1)
        dz = d_gates * _slope(gates)
        return [dz], [ops.matmul(dz, transposed) + dh_held, dc * f + dc_held]

    inputs = inputs if mask is None else [*inputs, mask]
    (dz,), last = saving_loop(step, inputs, d_last, [kernel.shape[1]], reverse=True)
    return dz, *last
