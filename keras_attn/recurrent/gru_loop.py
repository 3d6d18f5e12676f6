"""The GRU over a whole sequence, with its gradient written out by hand (see `lstm_loop`).

`reset_bias` tells the two conventions apart: None where the reset gate comes before the matrix
product, the candidate's recurrent bias (U,) where it comes after.
"""

from typing import Any

from keras import ops, tree

from keras_attn.functional.time_loop import saving_loop

Kernels = tuple[Any, Any]  # of the gates z r (U, 2U) and of the candidate (U, U)


def split_kernel(kernel: Any) -> Kernels:
    """The recurrent kernel (U, 3U) as the two parts that the step multiplies separately."""
    units = kernel.shape[0]
    return kernel[:, : 2 * units], kernel[:, 2 * units :]


def gru_step(x: Any, h: Any, kernels: Kernels, reset_bias: Any = None) -> tuple[Any, tuple]:
    """One step from the projected inputs x (B, 3U): h' and what its gradient needs."""
    units = h.shape[-1]
    gates = ops.sigmoid(x[:, : 2 * units] + ops.matmul(h, kernels[0]))
    z, r = ops.split(gates, 2, axis=-1)
    if reset_bias is None:
        inner = r * h
        candidate = ops.tanh(x[:, 2 * units :] + ops.matmul(inner, kernels[1]))
    else:
        inner = ops.matmul(h, kernels[1]) + reset_bias
        candidate = ops.tanh(x[:, 2 * units :] + r * inner)
    return candidate + z * (h - candidate), (gates, candidate, inner)


def gru_sequence(
    projected: Any, kernel: Any, h: Any, mask: Any = None, reset_bias: Any = None
) -> tuple[Any, Any]:
    """The hidden state of every step, and the last.

    Args:
        projected: Input part of the pre-activations, (T, B, 3U), in the order z r h.
        kernel: Recurrent kernel (U, 3U).
        h: First hidden state (B, U).
        mask: Bool (T, B, 1), or None; a masked step holds the state.
        reset_bias: The candidate's recurrent bias (U,), or None for the reset before the matrix.

    Outputs: Hidden states (T, B, U), and the last of them (B, U).
    """

    @ops.custom_gradient
    def sequence(projected, kernel, h, *bias):
        hs, gates, candidates, inners, last = _forward(projected, kernel, h, mask, *bias)

        def gradient(*upstream, **_):
            # TensorFlow gives one argument an output, JAX all of them in one.
            dhs, dh = tree.flatten(upstream)
            before = ops.concatenate([ops.expand_dims(h, 0), hs[:-1]], axis=0)
            inputs = [dhs, gates, candidates, inners, before]
            d_gates, d_candidates, dh = _backward(inputs, dh, kernel, mask, reset_after=bool(bias))
            dprojected = ops.concatenate([d_gates, d_candidates], axis=-1)
            if not bias:
                dkernels = [_outer(before, d_gates), _outer(inners, d_candidates)]
                return dprojected, ops.concatenate(dkernels, axis=-1), dh
            d_inners = d_candidates * ops.split(gates, 2, axis=-1)[1]
            dkernels = [_outer(before, d_gates), _outer(before, d_inners)]
            dbias = ops.sum(d_inners, axis=(0, 1))
            return dprojected, ops.concatenate(dkernels, axis=-1), dh, dbias

        return (hs, last), gradient

    return sequence(projected, kernel, h, *([] if reset_bias is None else [reset_bias]))


def _forward(projected, kernel, h, mask, reset_bias=None):
    units, kernels = kernel.shape[0], split_kernel(kernel)

    def step(inputs, states):
        (x, *m), (h,) = inputs, states
        new_h, saved = gru_step(x, h, kernels, reset_bias)
        new_h = ops.where(m[0], new_h, h) if m else new_h
        return [new_h, *saved], [new_h]

    inputs = [projected] if mask is None else [projected, mask]
    stacked, (last,) = saving_loop(step, inputs, [h], [units, 2 * units, units, units])
    return *stacked, last


def _backward(inputs, dh, kernel, mask, reset_after):
    units = kernel.shape[0]
    gates_kernel, candidate_kernel = (ops.transpose(part) for part in split_kernel(kernel))

    def step(inputs, states):
        (dh_out, gates, candidate, inner, h, *m), (dh,) = inputs, states
        z, r = ops.split(gates, 2, axis=-1)
        dh = dh + dh_out
        held = ops.where(m[0], 0, dh) if m else 0
        dh = ops.where(m[0], dh, 0) if m else dh
        d_candidate = dh * (1 - z) * (1 - candidate * candidate)
        if reset_after:
            dr, through = d_candidate * inner, ops.matmul(d_candidate * r, candidate_kernel)
        else:
            d_inner = ops.matmul(d_candidate, candidate_kernel)
            dr, through = d_inner * h, d_inner * r
        dz = dh * (h - candidate)
        d_gates = ops.concatenate([dz, dr], axis=-1) * gates * (1 - gates)
        dh_before = dh * z + through + ops.matmul(d_gates, gates_kernel) + held
        return [d_gates, d_candidate], [dh_before]

    inputs = inputs if mask is None else [*inputs, mask]
    stacked, (dh,) = saving_loop(step, inputs, [dh], [2 * units, units], reverse=True)
    return *stacked, dh


def _outer(a, b):
    """Sum over all steps and rows of the outer products, (T, B, M) and (T, B, N) to (M, N)."""
    a, b = ops.reshape(a, (-1, a.shape[-1])), ops.reshape(b, (-1, b.shape[-1]))
    return ops.matmul(ops.transpose(a), b)
