"""Learned positions: which row goes where, and where they end."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.position.learned import LearnedPositions


def build(length=7, width=3, **options):
    layer = LearnedPositions(length, **options)
    layer.build((None, None, width))
    layer.set_weights([np.arange(length * width, dtype="float32").reshape(length, width)])
    return layer


@pytest.mark.parametrize("start", [0, 2, np.int64(2)])
def test_each_position_gets_its_row(start):
    layer, x = build(), np.random.default_rng(0).normal(size=(2, 5, 3)).astype("float32")
    expected = x + layer.get_weights()[0][start : start + 5]
    got = ops.convert_to_numpy(layer(x, start_index=start))
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)


def test_the_start_may_be_a_tensor():
    got = build()(np.zeros((2, 1, 3), "float32"), start_index=ops.convert_to_tensor(6, "int32"))
    np.testing.assert_array_equal(ops.convert_to_numpy(got), [[[18, 19, 20]]] * 2)


def test_each_row_may_have_a_start_of_its_own():
    layer, x = build(), np.random.default_rng(0).normal(size=(3, 4, 3)).astype("float32")
    got = ops.convert_to_numpy(layer(x, start_index=ops.convert_to_tensor([0, 2, 3], "int32")))
    rows = np.stack([layer.get_weights()[0][start : start + 4] for start in (0, 2, 3)])
    np.testing.assert_allclose(got, x + rows, rtol=1e-6, atol=1e-6)
    # What is out of bounds is padding, and does not fail.
    got = ops.convert_to_numpy(layer(x, start_index=ops.convert_to_tensor([-2, 5, 0], "int32")))
    np.testing.assert_allclose((got - x)[0, 2:], layer.get_weights()[0][:2], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose((got - x)[1, :2], layer.get_weights()[0][5:], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("length", [0, 1, 7])
def test_lengths_within_bounds(length):
    assert tuple(build()(np.zeros((2, length, 3), "float32")).shape) == (2, length, 3)


@pytest.mark.parametrize(("length", "start"), [(8, 0), (5, 3), (1, 7)])
def test_positions_past_the_last_are_refused(length, start):
    with pytest.raises(
        ValueError, match=f"max_length = 7; received {length} .* starting at {start}"
    ):
        build()(np.zeros((2, length, 3), "float32"), start_index=start)


def test_positions_past_the_last_are_refused_when_the_model_is_made():
    with pytest.raises(ValueError, match="max_length = 7; received 8"):
        LearnedPositions(7)(keras.Input((8, 3)))
    assert LearnedPositions(7)(keras.Input((None, 3))).shape == (None, None, 3)


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_half_precision(policy):
    layer = build(dtype=policy)
    y = layer(np.zeros((2, 5, 3), "float32"), start_index=1)
    assert keras.backend.standardize_dtype(y.dtype) == layer.compute_dtype
    np.testing.assert_array_equal(ops.convert_to_numpy(ops.cast(y, "float32"))[0, 0], [3, 4, 5])


def test_a_mask_passes_through():
    x = keras.layers.Embedding(7, 3, mask_zero=True)(np.array([[1, 2, 0]]))
    assert ops.convert_to_numpy(build()(x)._keras_mask).tolist() == [[True, True, False]]


def test_max_length_must_be_positive():
    with pytest.raises(ValueError, match="max_length must be a positive integer.*0"):
        LearnedPositions(0)
