"""What the tests of recurrent layers share: data, jittered weights, and gradients of everything."""

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
from keras import ops

from tests.gradients import value_and_gradient

B, T, D, U = 3, 19, 5, 7  # 19 steps: more than one chunk of the loop, and not a whole number
RNG = np.random.default_rng(29)
X = RNG.normal(size=(B, T, D)).astype("float32")
MASK = RNG.random((B, T)) > 0.4
MASK[0] = False  # a sequence of nothing
MASK[1, :2] = False  # one that starts late
MASK[2] = np.arange(T) < 11  # one that is padded
STATES = [RNG.normal(size=(B, U)).astype("float32") for _ in range(2)]


def jittered(layer: Any, *inputs: Any, **options: Any) -> Any:
    """The layer, built, no weight of it at a round value."""
    layer(*inputs, **options)
    rng = np.random.default_rng(31)
    layer.set_weights([w + 0.3 * rng.normal(size=w.shape) for w in layer.get_weights()])
    return layer


def numpy(tree: Any) -> Any:
    return keras.tree.map_structure(lambda x: np.asarray(ops.convert_to_numpy(x)), tree)


def assert_close(ours: Any, expected: Any, atol: float = 1e-5) -> None:
    ours, expected = keras.tree.flatten(numpy(ours)), keras.tree.flatten(expected)
    for a, b in zip(ours, expected, strict=True):
        np.testing.assert_allclose(a, b, atol=atol)


def check_gradient(
    layer: Any, inputs: list, call: Callable, formula: Callable, jit_compile: bool
) -> None:
    """The gradient with respect to inputs and weights, in a random direction, against the slope
    of the float64 oracle.

    `call(inputs)` calls the layer and `formula(weights, inputs)` computes the same outputs.
    """
    rng = np.random.default_rng(37)
    parts = [*inputs, *layer.get_weights()]
    ends = np.cumsum([part.size for part in parts])
    everything = np.concatenate([part.ravel() for part in parts])

    def split(vector):
        pieces = [vector[end - part.size : end] for part, end in zip(parts, ends, strict=True)]
        return [p.reshape(q.shape) for p, q in zip(pieces, parts, strict=True)]

    def split_tensor(vector):
        pieces = [vector[end - part.size : end] for part, end in zip(parts, ends, strict=True)]
        return [ops.reshape(p, q.shape) for p, q in zip(pieces, parts, strict=True)]

    outputs = keras.tree.flatten(formula(parts[len(inputs) :], inputs))
    weights = [rng.normal(size=output.shape) for output in outputs]

    def loss(vector):
        tensors = split_tensor(vector)
        with keras.StatelessScope(
            state_mapping=list(zip(layer.weights, tensors[len(inputs) :], strict=True))
        ):
            found = keras.tree.flatten(call(tensors[: len(inputs)]))
        return sum(ops.sum(y * w.astype("float32")) for y, w in zip(found, weights, strict=True))

    def loss_of_formula(vector):
        arrays = split(vector)
        found = keras.tree.flatten(formula(arrays[len(inputs) :], arrays[: len(inputs)]))
        return sum((y * w).sum() for y, w in zip(found, weights, strict=True))

    value, gradient = value_and_gradient(loss, everything.astype("float32"), jit_compile)
    point = everything.astype(np.float64)
    np.testing.assert_allclose(value, loss_of_formula(point), rtol=1e-4, atol=1e-4)
    # One direction for each part, so that a fault shows where it is.
    for part, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        direction = np.zeros_like(point)
        direction[start:end] = rng.normal(size=end - start)
        step = 1e-5 * direction
        slope = (loss_of_formula(point + step) - loss_of_formula(point - step)) / 2e-5
        found = gradient.astype(np.float64) @ direction
        np.testing.assert_allclose(found, slope, rtol=1e-3, atol=1e-3, err_msg=f"part {part}")
