"""What the tests of recurrent layers share: data, jittered weights, and gradients of everything."""

from collections.abc import Callable
from typing import Any, NamedTuple

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.recurrent.elman import Elman
from keras_attn.recurrent.gru import GRU
from keras_attn.recurrent.jordan import Jordan, JordanCell
from keras_attn.recurrent.lstm import LSTM
from keras_attn.recurrent.orthogonal import OrthogonalCell
from keras_attn.recurrent.rnn import RNN
from tests.gradients import value_and_gradient
from tests.oracles import recurrent as oracle
from tests.seeding import reseed

# Where nothing is compiled, each step takes milliseconds, so there are few of them, and chunks of
# the loop that are shorter (`conftest.py`): more than one of them, and not a whole number.
CHUNK = 6
B, T, D, U = 3, 8, 5, 7
RNG = np.random.default_rng(29)
X = RNG.normal(size=(B, T, D)).astype("float32")
MASK = RNG.random((B, T)) > 0.4
MASK[0] = False  # a sequence of nothing
MASK[1, :2] = False  # one that starts late
MASK[2] = np.arange(T) < 5  # one that is padded
STATES = [RNG.normal(size=(B, U)).astype("float32") for _ in range(2)]


class Kind(NamedTuple):
    """One of our layers, the one of Keras with the same weights, the formula and its states."""

    ours: Callable
    theirs: Callable
    oracle: Callable
    states: int = 1


def orthogonal(units: int, dtype: Any = None, **options: Any) -> Any:
    return RNN(OrthogonalCell(units, activation="tanh", dtype=dtype), dtype=dtype, **options)


def like_the_others(make: Callable) -> Callable:
    """Whenever it makes a layer, its weights are the same."""

    def made(*arguments, **options):
        reseed()
        return make(*arguments, **options)

    return made


def with_options(function: Callable, **fixed: Any) -> Callable:
    return lambda *arguments, **options: function(*arguments, **fixed, **options)


def in_keras(cell: Callable, **fixed: Any) -> Callable:
    """Our cell, run by Keras."""
    return lambda units, **options: keras.layers.RNN(cell(units, **fixed), **options)


KINDS = {
    "elman": Kind(Elman, keras.layers.SimpleRNN, oracle.elman),
    "jordan": Kind(Jordan, in_keras(JordanCell), oracle.jordan),
    "orthogonal": Kind(
        orthogonal,
        in_keras(OrthogonalCell, activation="tanh"),
        with_options(oracle.orthogonal, activation="tanh"),
    ),
    "lstm": Kind(LSTM, keras.layers.LSTM, oracle.lstm, states=2),
    "gru": Kind(GRU, keras.layers.GRU, oracle.gru),
    "gru reset before": Kind(
        with_options(GRU, reset_after=False),
        with_options(keras.layers.GRU, reset_after=False),
        with_options(oracle.gru, reset_after=False),
    ),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def states_of(kind: str) -> list:
    return STATES[: KINDS[kind].states]


def jittered(layer: Any, *inputs: Any, by: float = 0.3, **options: Any) -> Any:
    """The layer, built by one step, no weight of it at a round value."""
    layer(*(x[:, :1] for x in inputs), **options)
    rng = np.random.default_rng(31)
    layer.set_weights([w + by * rng.normal(size=w.shape) for w in layer.get_weights()])
    return layer


def numpy(tree: Any) -> Any:
    return keras.tree.map_structure(lambda x: np.asarray(ops.convert_to_numpy(x)), tree)


def assert_close(ours: Any, expected: Any, atol: float = 1e-5) -> None:
    ours, expected = keras.tree.flatten(numpy(ours)), keras.tree.flatten(expected)
    for a, b in zip(ours, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=atol)


def split(vector: Any, parts: list) -> list:
    """A vector of everything, arrays or tensors, cut into pieces shaped like the parts."""
    ends = np.cumsum([part.size for part in parts])
    reshape = np.reshape if isinstance(vector, np.ndarray) else ops.reshape
    return [
        reshape(vector[end - part.size : end], part.shape)
        for end, part in zip(ends, parts, strict=True)
    ]


def value_and_gradients(
    layer: Any, inputs: list, call: Callable, output_weights: list, jit_compile: bool = False
) -> tuple[Any, Any]:
    """The sum of all outputs times their weights, and its gradients of the inputs and then of the
    layer's weights, in one vector."""
    parts = [*inputs, *layer.get_weights()]

    def loss(vector):
        tensors = split(vector, parts)
        values = tensors[len(inputs) :]
        with keras.StatelessScope(state_mapping=list(zip(layer.weights, values, strict=True))):
            actual = keras.tree.flatten(call(tensors[: len(inputs)]))
        pairs = zip(actual, output_weights, strict=True)
        return sum(ops.sum(y * w.astype("float32")) for y, w in pairs)

    everything = np.concatenate([part.ravel() for part in parts]).astype("float32")
    # JAX compiles each operation by itself where nothing is compiled around it.
    jit_compile = jit_compile or keras.backend.backend() == "jax"
    return value_and_gradient(loss, everything, jit_compile)


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
    outputs = keras.tree.flatten(formula(parts[len(inputs) :], inputs))
    weights = [rng.normal(size=output.shape) for output in outputs]

    def loss_of_formula(vector):
        arrays = split(vector, parts)
        actual = keras.tree.flatten(formula(arrays[len(inputs) :], arrays[: len(inputs)]))
        return sum((y * w).sum() for y, w in zip(actual, weights, strict=True))

    value, gradient = value_and_gradients(layer, inputs, call, weights, jit_compile)
    point = np.concatenate([part.ravel() for part in parts]).astype(np.float64)
    np.testing.assert_allclose(value, loss_of_formula(point), rtol=1e-4, atol=1e-4)
    # One direction for each part, so that a fault shows where it is.
    for part, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        direction = np.zeros_like(point)
        direction[start:end] = rng.normal(size=end - start)
        step = 1e-5 * direction
        slope = (loss_of_formula(point + step) - loss_of_formula(point - step)) / 2e-5
        actual = gradient.astype(np.float64) @ direction
        np.testing.assert_allclose(actual, slope, rtol=1e-3, atol=1e-3, err_msg=f"part {part}")
