"""The Elman recurrence over a whole sequence, with a hand-written gradient (see `lstm_loop`).

`threshold` is the bias (U,) of modReLU; if it is given, modReLU is the activation.
"""

from typing import Any

from keras import ops, tree

from keras_attn.functional.saving_loop import saving_loop
from keras_attn.recurrent.activations import ACTIVATIONS, MODRELU, Activation
from keras_attn.recurrent.gates import add_before, outer


def elman_sequence(
    projected: Any,
    kernel: Any,
    h: Any,
    activation: str,
    threshold: Any = None,
    mask: Any = None,
    truncate: int | None = None,
) -> tuple[Any, Any]:
    """Runs the recurrence over a whole sequence.

    Args:
        projected: Projected inputs (T, B, U).
        kernel: Recurrent kernel (U, U).
        h: Initial hidden state (B, U).
        activation: Name of the activation.
        threshold: The bias (U,) of modReLU, or None.
        mask: Bool (T, B, 1), or None; a masked step keeps the state unchanged.
        truncate: Number of steps after which the gradient stops, or None.

    Returns:
        Hidden states (T, B, U), and the last hidden state (B, U).
    """

    @ops.custom_gradient
    def sequence(projected, kernel, h, *threshold):
        function, _ = _activation(activation, *threshold)
        hs, last = _forward(projected, kernel, h, function, threshold, mask)

        def gradient(*upstream, **_):
            # TensorFlow passes one argument per output, JAX a single one for all outputs.
            dhs, dh = tree.flatten(upstream)
            dz, dh = _backward([dhs, hs], dh, kernel, function, mask, truncate)
            dthreshold = [ops.sum(dz * ops.sign(hs), axis=(0, 1))] if threshold else []
            return dz, outer(add_before(h, hs), dz), dh, *dthreshold

        return (hs, last), gradient

    return sequence(projected, kernel, h, *([] if threshold is None else [threshold]))


def _activation(name: str, threshold: Any = None) -> tuple[Activation, list]:
    if threshold is None:
        return ACTIVATIONS[name], []
    return MODRELU[name], [threshold]


def _forward(projected, kernel, h, function, threshold, mask):
    def step(inputs, states):
        (projected, *m), (h,) = inputs, states
        new_h = function.forward(projected + ops.matmul(h, kernel), *threshold)
        new_h = ops.where(m[0], new_h, h) if m else new_h
        return [new_h], [new_h]

    inputs = [projected] if mask is None else [projected, mask]
    (hs,), (last,) = saving_loop(step, inputs, [h], [h.shape[-1]])
    return hs, last


def _backward(inputs, dh, kernel, function, mask, truncate):
    transposed = ops.transpose(kernel)

    def step(inputs, states):
        (d_output, y, *m), (dh,) = inputs, states
        dh = dh + d_output
        held = ops.where(m[0], 0, dh) if m else 0
        dh = ops.where(m[0], dh, 0) if m else dh
        dz = function.backward(dh, y)
        return [dz], [ops.matmul(dz, transposed) + held]

    inputs, width = inputs if mask is None else [*inputs, mask], [kernel.shape[0]]
    (dz,), (dh,) = saving_loop(step, inputs, [dh], width, reverse=True, truncate=truncate)
    return dz, dh
