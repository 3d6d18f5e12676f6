"""The Jordan recurrence over a whole sequence, with a hand-written gradient (see `lstm_loop`)."""

from collections.abc import Callable
from typing import Any

from keras import ops, tree

from keras_attn.functional.saving_loop import saving_loop
from keras_attn.recurrent.activations import ACTIVATIONS
from keras_attn.recurrent.gates import add_before, outer

Names = tuple[str, str]
Functions = tuple[Callable, Callable]


def jordan_step(
    projected: Any,
    y: Any,
    kernel: Any,
    output_kernel: Any,
    output_bias: Any,
    activations: Functions,
) -> tuple[Any, Any]:
    """Computes h' (B, U) and y' (B, V) from the projected inputs (B, U) of one step."""
    to_h, to_y = activations
    h = to_h(projected + ops.matmul(y, kernel))
    return h, to_y(ops.matmul(h, output_kernel) + output_bias)


def jordan_sequence(
    projected: Any,
    y: Any,
    kernel: Any,
    output_kernel: Any,
    output_bias: Any,
    activations: Names,
    mask: Any = None,
    truncate: int | None = None,
) -> tuple[Any, Any]:
    """Runs the recurrence over a whole sequence.

    Args:
        projected: Projected inputs (T, B, U).
        y: Initial output (B, V).
        kernel: Recurrent kernel (V, U).
        output_kernel: Output kernel (U, V).
        output_bias: Output bias (V,).
        activations: Names of the hidden activation and of the output activation.
        mask: Bool (T, B, 1), or None; a masked step keeps the output unchanged.
        truncate: Number of steps after which the gradient stops, or None.

    Returns:
        Outputs (T, B, V), and the last output (B, V).
    """

    @ops.custom_gradient
    def sequence(projected, y, kernel, output_kernel, output_bias):
        weights = kernel, output_kernel, output_bias, activations
        ys, hs, last = _forward(projected, y, weights, mask)

        def gradient(*upstream):
            # TensorFlow passes one argument per output, JAX a single one for all outputs.
            dys, dy = tree.flatten(upstream)
            dz, dv, dy = _backward([dys, ys, hs], dy, weights, mask, truncate)
            dkernels = outer(add_before(y, ys), dz), outer(hs, dv)
            return dz, dy, *dkernels, ops.sum(dv, axis=(0, 1))

        return (ys, last), gradient

    return sequence(projected, y, kernel, output_kernel, output_bias)


def _forward(projected, y, weights, mask):
    *kernels, names = weights
    functions = tuple(ACTIVATIONS[name].forward for name in names)

    def step(inputs, states):
        (projected, *m), (y,) = inputs, states
        h, new_y = jordan_step(projected, y, *kernels, functions)
        if m:  # what a masked step stores must be finite, since a gradient of 0 multiplies it
            h, new_y = ops.where(m[0], h, 0), ops.where(m[0], new_y, y)
        return [new_y, h], [new_y]

    inputs = [projected] if mask is None else [projected, mask]
    kernel = weights[0]
    (ys, hs), (last,) = saving_loop(step, inputs, [y], list(kernel.shape))
    return ys, hs, last


def _backward(inputs, dy, weights, mask, truncate):
    kernel, output_kernel, _, names = weights
    through_y, through_h = ops.transpose(kernel), ops.transpose(output_kernel)
    to_h, to_y = (ACTIVATIONS[name] for name in names)

    def step(inputs, states):
        (d_output, y, h, *m), (dy,) = inputs, states
        dy = dy + d_output
        held = ops.where(m[0], 0, dy) if m else 0
        dy = ops.where(m[0], dy, 0) if m else dy
        dv = to_y.backward(dy, y)
        dz = to_h.backward(ops.matmul(dv, through_h), h)
        return [dz, dv], [ops.matmul(dz, through_y) + held]

    inputs, widths = inputs if mask is None else [*inputs, mask], list(output_kernel.shape)
    (dz, dv), (dy,) = saving_loop(step, inputs, [dy], widths, reverse=True, truncate=truncate)
    return dz, dv, dy
