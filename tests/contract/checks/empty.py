"""Sequences without a position and batches without a row are computed like any others."""

import functools
from collections.abc import Callable

import keras
import numpy as np

from tests.contract import harness
from tests.contract.case import Case
from tests.contract.checks.masks import cut
from tests.contract.checks.training import as_usual, gradients_of

# Nodes are not without edges, which name them.
LENGTHS = ({"T"}, {"S"}, {"T", "S"}, {"E"}, {"N", "E"})


def length_0(case: Case) -> None:
    """What is not there counts as much as what is masked; the other axes are as they are."""
    assert lengths_of(case), "name the axes of time, or say why there are none"
    for letters in lengths_of(case):
        without(case, letters)


def lengths_of(case: Case) -> list[set[str]]:
    """The axes that may be empty, alone and together."""
    actual = {letter for tensor in case.inputs.values() for letter in tensor.axes}
    return [letters for letters in LENGTHS if letters <= actual]


def batch_0(case: Case) -> None:
    """No rows in, no rows out."""
    without(case, {"B"})


def without(case: Case, letters: set[str]) -> None:
    """The outputs with and without masks, and finite gradients."""
    one = one_masked(case, letters)
    none = {name: cut_all(value, case.inputs[name].axes, letters) for name, value in one.items()}
    hidden = {name for name in case.masks if case.inputs[name].axes[-1] in letters}
    unmasked = {name: value for name, value in none.items() if name not in hidden}
    for variant, made in harness.variants(case, dropout=False).items():
        outputs = harness.run(case, made.layer, one)
        expected = {n: cut_all(v, case.outputs[n], letters) for n, v in outputs.items()}
        if "B" in letters:  # of no row, a loss or a metric is 0
            expected = {n: v if v.ndim else np.zeros(()) for n, v in expected.items()}
        what = f"{case.name} {variant} without {', '.join(sorted(letters))}"
        for x in (none, unmasked):
            harness.close(harness.run(case, made.layer, x), expected, 1e-6, what)
        if not issubclass(case.layer, keras.metrics.Metric):
            finite_gradients(case, variant, none, what)


def one_masked(case: Case, letters: set[str]) -> harness.Arrays:
    """The inputs with one position on each of the axes, of zeros, and masked where it may be."""
    x = harness.example(case, dict.fromkeys(letters, 1))
    return {
        name: np.zeros_like(value) if letters & set(case.inputs[name].axes) else value
        for name, value in x.items()
    }


def cut_all(value: np.ndarray, axes: str, letters: set[str]) -> np.ndarray:
    for letter in letters:
        value = cut(value, axes, letter, 0)
    return value


def compiled(case: Case) -> Callable:
    """Compiles a step; TensorFlow is not told the sizes that are unknown when a model is traced."""
    if keras.backend.backend() == "jax":
        return as_usual
    import tensorflow as tf

    moving, fixed = {}, {}
    for name, tensor in case.inputs.items():
        spec = tf.TensorSpec(tensor.unknown_shape(), tensor.dtype)
        (moving if tensor.kind == "float" else fixed)[name] = spec
    return tf.function(input_signature=[moving, fixed], autograph=False)


def finite_gradients(case: Case, variant: str, x: harness.Arrays, what: str) -> None:
    """In training, where recurrent layers have loops of their own."""
    _, of_weights, of_inputs = gradients(case, variant)(x)
    for gradient in (*of_weights, *of_inputs.values()):
        assert np.isfinite(gradient).all(), f"{what}: a gradient is not finite"


@functools.lru_cache(maxsize=16)  # the variants of a case
def gradients(case: Case, variant: str) -> Callable[[harness.Arrays], tuple]:
    """Computes gradients, compiled once for all sizes."""
    layer = harness.made(case, variant, dropout=False).layer
    return gradients_of(case, layer, None, as_usual if variant else compiled(case))
