"""Gradients match finite differences of the float64 formula, however the step is compiled."""

import functools
from collections.abc import Callable

import keras
import numpy as np

from tests.contract import harness
from tests.contract.case import Case

STEP = 1e-6  # of a finite difference in float64
DIRECTIONS = 3  # random directions checked for each weight and input


def eager(case: Case) -> None:
    """Every weight and input, one operation at a time."""
    for name in harness.variants(case, dropout=False):
        compare(case, name, lambda f: f)


def graph(case: Case) -> None:
    """Compiled to a TensorFlow graph."""
    import tensorflow as tf

    for name in harness.variants(case, dropout=False):
        compare(case, name, functools.partial(tf.function, autograph=False))


def xla(case: Case) -> None:
    """Compiled by XLA, without the variants."""
    compare(case, "", by_xla())


def variants_by_xla(case: Case) -> None:
    """The variants on JAX; on TensorFlow they are left to the graph, which XLA compiles."""
    for name in filter(None, harness.variants(case, dropout=False)):
        compare(case, name, by_xla())


def by_xla() -> Callable:
    if keras.backend.backend() == "jax":
        import jax

        return jax.jit
    import tensorflow as tf

    return functools.partial(tf.function, autograph=False, jit_compile=True)


def compare(case: Case, variant: str, compile_) -> None:
    """The loss sum(output * a random tensor) and its gradients, in training, without dropout."""
    layer = harness.made(case, variant, dropout=False).layer
    expected = formula(case, variant)
    loss, of_weights, of_inputs = backend_gradients(
        case, layer, harness.example(case), expected.cotangents, compile_
    )
    np.testing.assert_allclose(loss, expected.loss, rtol=1e-5, atol=1e-4, err_msg="in training")
    trained = [i for i, w in enumerate(getattr(layer, "weights", [])) if w.trainable]
    gradients = dict(zip(trained, of_weights, strict=True)) | of_inputs
    for key, gradient in gradients.items():
        assert np.isfinite(gradient).all(), f"gradient of {label(layer, key)}: not finite"
        for direction, slope in expected.slopes(key):
            scale = max(1.0, np.linalg.norm(gradient) * np.linalg.norm(direction))
            np.testing.assert_allclose(
                (gradient * direction).sum(),
                slope,
                rtol=0,
                atol=2e-5 * scale,
                err_msg=f"{case.name} {variant}: gradient of {label(layer, key)}",
            )


def label(layer, key) -> str:
    return layer.weights[key].path if isinstance(key, int) else f"input {key}"


class Formula:
    """The loss by the oracle and its slopes, computed once however the step is compiled."""

    def __init__(self, case: Case, variant: str):
        made = harness.made(case, variant, dropout=False)
        self.case, self.arguments = case, made.arguments
        self.weights, self.x = harness.weights_of(made.layer), harness.example(case)
        outputs = harness.oracle(case, self.weights, self.x, self.arguments)
        self.cotangents = {
            name: harness.random("cotangent", name).normal(size=value.shape)
            for name, value in outputs.items()
        }
        self.loss = self.total(outputs)
        self.slopes = functools.cache(self.find_slopes)

    def total(self, outputs) -> float:
        return sum((self.cotangents[name] * value).sum() for name, value in outputs.items())

    def find_slopes(self, key) -> list[tuple[np.ndarray, float]]:
        """Random directions of one weight or input, with the central difference along each."""
        shape = (self.weights[key] if isinstance(key, int) else self.x[key]).shape
        directions = [harness.random(key, n).normal(size=shape) for n in range(DIRECTIONS)]
        return [(d, (self.moved(key, d) - self.moved(key, -d)) / (2 * STEP)) for d in directions]

    def moved(self, key, direction: np.ndarray) -> float:
        weights, x = list(self.weights), dict(self.x)
        if isinstance(key, int):
            weights[key] = weights[key] + STEP * direction
        else:
            x[key] = x[key].astype("float64") + STEP * direction
        return self.total(harness.oracle(self.case, weights, x, self.arguments))


@functools.lru_cache(maxsize=16)  # the variants of a case
def formula(case: Case, variant: str) -> Formula:
    return Formula(case, variant)


def as_usual(step):
    """Runs a step eagerly, but on JAX compiled, which takes less time there."""
    if keras.backend.backend() == "jax":
        import jax

        return jax.jit(step)
    return step


def backend_gradients(case: Case, layer, x, cotangents, compile_) -> tuple:
    """The loss, and the gradients of the weights and of the float inputs, as arrays."""
    return gradients_of(case, layer, cotangents, compile_)(x)


def gradients_of(case: Case, layer, cotangents, compile_) -> Callable[[harness.Arrays], tuple]:
    """`backend_gradients` as a function of the inputs, which compiles once for all of one shape.

    Without cotangents, the loss is the sum of the outputs.
    """
    weights, call = [], functools.partial(case.call, layer)
    if isinstance(layer, keras.layers.Layer):
        weights = list(layer.trainable_weights)
        # The model says training=True to whatever it is made of, as `fit` does.
        call = functools.partial(harness.functional(case, layer), training=True)
    given = (cotangents or {}).items()
    constants = {n: keras.ops.convert_to_tensor(v, "float32") for n, v in given}

    def loss(moving, fixed):
        outputs = harness.flat(case, call(moving | fixed))
        values = {n: keras.ops.cast(v, "float32") for n, v in outputs.items()}
        return sum(keras.ops.sum(v * constants[n] if constants else v) for n, v in values.items())

    backend = {"jax": jax_gradients, "tensorflow": tensorflow_gradients}[keras.backend.backend()]
    step = backend(loss, weights, compile_)

    def gradients(x):
        inputs = harness.tensors(x)
        moving = {n: v for n, v in inputs.items() if case.inputs[n].kind == "float"}
        fixed = {n: v for n, v in inputs.items() if n not in moving}
        value, of_weights, of_inputs = step(moving, fixed)
        of_inputs = {n: harness.to_numpy(g) for n, g in of_inputs.items()}
        return float(value), [harness.to_numpy(g) for g in of_weights], of_inputs

    return gradients


def tensorflow_gradients(loss, weights, compile_):
    import tensorflow as tf

    def step(moving, fixed):
        with tf.GradientTape() as tape:
            tape.watch(list(moving.values()))
            value = loss(moving, fixed)
        return value, *tape.gradient(value, ([w.value for w in weights], moving))

    compiled = compile_(step)

    def gradients(moving, fixed):
        value, of_weights, of_inputs = compiled(moving, fixed)
        # What has no influence has no gradient; the finite differences tell whether that is so.
        of_weights = [
            tf.zeros(w.shape) if g is None else g for w, g in zip(weights, of_weights, strict=True)
        ]
        of_inputs = {n: tf.zeros_like(moving[n]) if g is None else g for n, g in of_inputs.items()}
        return value, of_weights, of_inputs

    return gradients


def jax_gradients(loss, weights, compile_):
    import jax

    def pure(values, moving, fixed):
        with keras.StatelessScope(state_mapping=list(zip(weights, values, strict=True))):
            return loss(moving, fixed)

    compiled = compile_(jax.value_and_grad(pure, argnums=(0, 1)))

    def gradients(moving, fixed):
        value, (of_weights, of_inputs) = compiled([w.value for w in weights], moving, fixed)
        return value, of_weights, of_inputs

    return gradients
