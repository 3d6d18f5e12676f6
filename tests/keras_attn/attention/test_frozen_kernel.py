"""Kernels in 16 and 8 bits against float64 NumPy: outputs, gradients, files."""

from pathlib import Path

import keras
import ml_dtypes
import numpy as np
import pytest
import tensorflow as tf

from keras_attn.attention.frozen_kernel import FrozenKernel, decoded, encoded
from keras_attn.attention.projection import Projection

SHAPE = (3, 5, 2, 7)  # two axes of inputs, two of outputs


def kernel() -> np.ndarray:
    return np.random.default_rng(1).normal(size=SHAPE, scale=0.3).astype("float32")


def test_bfloat16_is_rounded_as_by_ml_dtypes() -> None:
    values = np.random.default_rng(0).normal(size=(997,)).astype("float32")
    values = np.concatenate(
        [values, np.array([0.0, -0.0, 1e38, 1.00390625, 1.01171875], "float32")]
    )
    actual = decoded(*encoded(values, "bfloat16", 1))
    np.testing.assert_array_equal(actual, values.astype(ml_dtypes.bfloat16).astype("float32"))


def test_int8_is_rounded_by_the_largest_of_each_output() -> None:
    original = kernel().astype("float64")
    original[..., 1, 6] = 0.0
    scale = np.abs(original).max(axis=(0, 1)) / 127
    values, scales = encoded(original.astype("float32"), "int8", 2)
    np.testing.assert_allclose(scales[:, :6], scale[:, :6], rtol=1e-6)
    assert scales[1, 6] == 1 and np.abs(values).max() == 127
    error = np.abs(decoded(values, scales) - original)
    assert (error <= scale / 2 + 1e-7).all() and error.max() > scale.max() / 4


@pytest.mark.parametrize("dtype", ["bfloat16", "int8"])
def test_output_and_gradient_are_those_of_the_rounded_kernel(dtype: str) -> None:
    layer = FrozenKernel(SHAPE, dtype, input_axes=2)
    layer.assign(kernel())
    rounded = decoded(*encoded(kernel(), dtype, 2)).astype("float64").reshape(15, 14)
    np.testing.assert_allclose(layer.kernel().reshape(15, 14), rounded, rtol=1e-6)
    random = np.random.default_rng(2)
    x, dy = random.normal(size=(11, 13, 3, 5)), random.normal(size=(11, 13, 2, 7))

    @tf.function
    def both(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = layer(x)
            total = tf.reduce_sum(y * tf.constant(dy, "float32"))
        return y, tape.gradient(total, x)

    y, dx = both(tf.constant(x, "float32"))
    np.testing.assert_allclose(
        y, (x.reshape(11, 13, 15) @ rounded).reshape(11, 13, 2, 7), atol=1e-5
    )
    expected = (dy.reshape(11, 13, 14) @ rounded.T).reshape(11, 13, 3, 5)
    np.testing.assert_allclose(dx, expected, atol=1e-5)
    assert not layer.trainable_weights


@pytest.mark.parametrize("use_bias", [True, False])
@pytest.mark.parametrize("dtype", ["bfloat16", "int8"])
def test_projection_is_frozen_saved_and_melted(dtype: str, use_bias: bool, tmp_path: Path) -> None:
    def new() -> tuple[keras.Model, Projection]:
        x = keras.Input((None, 11))
        layer = Projection((2, 7), use_bias=use_bias, bias_initializer="random_normal")
        return keras.Model(x, layer(x)), layer

    x = np.random.default_rng(4).normal(size=(3, 5, 11)).astype("float32")
    model, layer = new()
    names, before = [w.name for w in layer.weights], model.predict(x, verbose=0)
    layer.freeze_kernel(dtype)
    after = model(x)
    assert 0 < np.abs(after - before).max() < 0.02
    assert sorted(w.name for w in layer.trainable_weights) == (["bias"] if use_bias else [])

    model.save_weights(tmp_path / "frozen.weights.h5")
    again, other = new()
    other.freeze_kernel(dtype)
    again.load_weights(tmp_path / "frozen.weights.h5")
    np.testing.assert_array_equal(again(x), after)

    layer.melt_kernel()
    assert [w.name for w in layer.weights] == names
    np.testing.assert_allclose(model(x), after, atol=1e-6)


def test_another_dtype_is_refused() -> None:
    with pytest.raises(ValueError, match="must be one of bfloat16, int8; received 'int4'"):
        FrozenKernel((3, 2), "int4")
