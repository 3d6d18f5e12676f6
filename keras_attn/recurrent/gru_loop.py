"""The GRU over a whole sequence, with a hand-written gradient (see `lstm_loop`).

`reset_bias` selects the variant: None if the reset gate is applied before the matrix product, the
candidate's recurrent bias (U,) if it is applied after.
"""

from collections.abc import Callable
from typing import Any

from keras import ops, tree

from keras_attn.functional.saving_loop import saving_loop
from keras_attn.recurrent.gates import add_before, dropped, outer


def gru_step(
    projected: list,
    h: Any,
    kernels: list,
    reset_bias: Any = None,
    masks: list | None = None,
    activation: Callable = ops.tanh,
    gate: Callable = ops.sigmoid,
) -> tuple[Any, list]:
    """Computes one step from the projected inputs of z, r and the candidate, (B, U) each.

    Returns:
        h', and what the gradient needs: z, r, the candidate, and the reset gate's output (if
        applied before the matrix product) or its input (if applied after).
    """
    *to_gates, to_candidate = dropped(h, masks, gates=3)
    triples = zip(projected[:2], to_gates, kernels[:2], strict=True)
    z, r = (gate(x + ops.matmul(state, kernel)) for x, state, kernel in triples)
    if reset_bias is None:
        inner = r * to_candidate
        candidate = activation(projected[2] + ops.matmul(inner, kernels[2]))
    else:
        inner = ops.matmul(to_candidate, kernels[2]) + reset_bias
        candidate = activation(projected[2] + r * inner)
    return candidate + z * (h - candidate), [z, r, candidate, inner]


def gru_sequence(
    projected: list,
    kernel: Any,
    h: Any,
    mask: Any = None,
    reset_bias: Any = None,
    truncate: int | None = None,
) -> tuple[Any, Any]:
    """Runs the GRU over a whole sequence.

    Args:
        projected: Projected inputs of z, r and the candidate, (T, B, U) each.
        kernel: Recurrent kernel (U, 3U).
        h: Initial hidden state (B, U).
        mask: Bool (T, B, 1), or None; a masked step keeps the state unchanged.
        reset_bias: The candidate's recurrent bias (U,), or None if the reset gate is applied before
            the matrix product.
        truncate: Number of steps after which the gradient stops, or None.

    Returns:
        Hidden states (T, B, U), and the last hidden state (B, U).
    """

    @ops.custom_gradient
    def sequence(z, r, candidate, kernel, h, *bias):
        kernels = ops.split(kernel, 3, axis=-1)
        hs, *saved, last = _forward([z, r, candidate], kernels, h, mask, *bias)

        def gradient(*upstream, **_):
            # TensorFlow passes one argument per output, JAX a single one for all outputs.
            dhs, dh = tree.flatten(upstream)
            before, (_, r, _, inner) = add_before(h, hs), saved
            inputs = [dhs, *saved, before]
            *d, dh = _backward(inputs, dh, kernels, mask, truncate, reset_after=bool(bias))
            d_product, multiplied = (d[2] * r, before) if bias else (d[2], inner)
            dkernels = [outer(before, d[0]), outer(before, d[1]), outer(multiplied, d_product)]
            dbias = [ops.sum(d_product, axis=(0, 1))] if bias else []
            return *d, ops.concatenate(dkernels, axis=-1), dh, *dbias

        return (hs, last), gradient

    return sequence(*projected, kernel, h, *([] if reset_bias is None else [reset_bias]))


def _forward(projected, kernels, h, mask, reset_bias=None):
    def step(inputs, states):
        (z, r, candidate, *m), (h,) = inputs, states
        new_h, saved = gru_step([z, r, candidate], h, kernels, reset_bias)
        new_h = ops.where(m[0], new_h, h) if m else new_h
        return [new_h, *saved], [new_h]

    inputs = projected if mask is None else [*projected, mask]
    stacked, (last,) = saving_loop(step, inputs, [h], [h.shape[-1]] * 5)
    return *stacked, last


def _backward(inputs, dh, kernels, mask, truncate, reset_after):
    to_z, to_r, to_candidate = (ops.transpose(kernel) for kernel in kernels)

    def step(inputs, states):
        (d_output, z, r, candidate, inner, h, *m), (dh,) = inputs, states
        dh = dh + d_output
        held = ops.where(m[0], 0, dh) if m else 0
        dh = ops.where(m[0], dh, 0) if m else dh
        d_candidate = dh * (1 - z) * (1 - candidate * candidate)
        if reset_after:
            dr, through = d_candidate * inner, ops.matmul(d_candidate * r, to_candidate)
        else:
            d_inner = ops.matmul(d_candidate, to_candidate)
            dr, through = d_inner * h, d_inner * r
        dz, dr = dh * (h - candidate) * z * (1 - z), dr * r * (1 - r)
        dh = dh * z + through + ops.matmul(dz, to_z) + ops.matmul(dr, to_r) + held
        return [dz, dr, d_candidate], [dh]

    inputs = inputs if mask is None else [*inputs, mask]
    widths = [kernels[0].shape[0]] * 3
    stacked, (dh,) = saving_loop(step, inputs, [dh], widths, reverse=True, truncate=truncate)
    return *stacked, dh
