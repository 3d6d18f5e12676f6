"""The LSTM over a whole sequence, with its gradient written out by hand.

Automatic differentiation of a loop keeps every intermediate of every step and adds up the
recurrent kernel's gradient step by step. Here the forward loop keeps the gates and the carry, the
backward loop gives the gradient of the pre-activations, and the kernel's gradient is one matrix
product after it.
"""

from typing import Any

from keras import ops, tree

from keras_attn.functional.time_loop import saving_loop


def lstm_step(z: Any, c: Any) -> tuple[Any, Any, tuple[Any, ...]]:
    """One step from the pre-activations z (B, 4U) and the carry c: h, c and the four gates."""
    i, f, g, o = ops.split(z, 4, axis=-1)
    i, f, g, o = ops.sigmoid(i), ops.sigmoid(f), ops.tanh(g), ops.sigmoid(o)
    c = f * c + i * g
    return o * ops.tanh(c), c, (i, f, g, o)


def lstm_sequence(projected: Any, kernel: Any, h: Any, c: Any, mask: Any = None) -> Any:
    """The hidden state of every step, and the last states.

    Args:
        projected: input part of the pre-activations, (T, B, 4U), gates in the order i f g o.
        kernel: recurrent kernel (U, 4U).
        h: first hidden state (B, U).
        c: first carry (B, U).
        mask: bool (T, B, 1), or None; a masked step holds the state.

    Returns:
        Hidden states (T, B, U), the last of them (B, U), and the last carry (B, U).
    """

    @ops.custom_gradient
    def sequence(projected, kernel, h, c):
        hs, cs, gates, last_h, last_c = _forward(projected, kernel, h, c, mask)

        def gradient(*upstream, **_):
            # TensorFlow gives one argument an output, JAX all of them in one.
            dhs, dh, dc = tree.flatten(upstream)
            h_before, c_before = _shift(h, hs), _shift(c, cs)
            dz, dh, dc = _backward(dhs, dh, dc, gates, cs, c_before, kernel, mask)
            rows = ops.reshape(h_before, (-1, kernel.shape[0]))
            dkernel = ops.matmul(ops.transpose(rows), ops.reshape(dz, (-1, kernel.shape[1])))
            return dz, dkernel, dh, dc

        return (hs, last_h, last_c), gradient

    return sequence(projected, kernel, h, c)


def _forward(projected, kernel, h, c, mask):
    units = kernel.shape[0]

    def step(inputs, states):
        (z, *m), (h, c) = inputs, states
        new_h, new_c, gates = lstm_step(z + ops.matmul(h, kernel), c)
        if m:
            new_h, new_c = ops.where(m[0], new_h, h), ops.where(m[0], new_c, c)
        return [new_h, new_c, ops.concatenate(gates, axis=-1)], [new_h, new_c]

    inputs = [projected] if mask is None else [projected, mask]
    widths = [units, units, 4 * units]
    (hs, cs, gates), (last_h, last_c) = saving_loop(step, inputs, [h, c], widths)
    return hs, cs, gates, last_h, last_c


def _backward(dhs, dh, dc, gates, cs, c_before, kernel, mask):
    transposed = ops.transpose(kernel)

    def step(inputs, states):
        (dh_out, gates, c, c_before, *m), (dh, dc) = inputs, states
        dh = dh + dh_out
        dh_held, dc_held = (ops.where(m[0], 0, d) if m else 0 for d in (dh, dc))
        dh, dc = (ops.where(m[0], d, 0) if m else d for d in (dh, dc))
        i, f, g, o = ops.split(gates, 4, axis=-1)
        tanh_c = ops.tanh(c)
        dc = dc + dh * o * (1 - tanh_c * tanh_c)
        dz_i = dc * g * i * (1 - i)
        dz_f = dc * c_before * f * (1 - f)
        dz_g = dc * i * (1 - g * g)
        dz_o = dh * tanh_c * o * (1 - o)
        dz = ops.concatenate([dz_i, dz_f, dz_g, dz_o], axis=-1)
        return [dz], [ops.matmul(dz, transposed) + dh_held, dc * f + dc_held]

    inputs = [dhs, gates, cs, c_before] + ([] if mask is None else [mask])
    (dz,), (dh, dc) = saving_loop(step, inputs, [dh, dc], [kernel.shape[1]], reverse=True)
    return dz, dh, dc


def _shift(first, sequence):
    """The sequence one step earlier, `first` in front."""
    return ops.concatenate([ops.expand_dims(first, 0), sequence[:-1]], axis=0)
