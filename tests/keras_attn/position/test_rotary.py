"""Rotary positions against complex numbers in NumPy float64."""

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops

from keras_attn.position.rotary import RotaryPositions
from tests.oracles.position import rotary

LAYOUTS = ["interleaved", "halves"]


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("width", [2, 6, 14])
@pytest.mark.parametrize("start", [0, 3, 20_000])
def test_numbers(layout, width, start):
    x = draw(3, 2, 5, width)
    y = ops.convert_to_numpy(RotaryPositions(layout, max_wavelength=5000)(x, start_index=start))
    np.testing.assert_allclose(y, rotary(x, start, layout, 5000), atol=2e-5)


def test_numbers_by_hand():
    x = np.array([[1, 2, 3, 4]] * 2, "float32")
    c, s, c2, s2 = np.cos(1), np.sin(1), np.cos(0.01), np.sin(0.01)
    pairs = [c - 2 * s, 2 * c + s, 3 * c2 - 4 * s2, 4 * c2 + 3 * s2]
    y = ops.convert_to_numpy(RotaryPositions()(x))
    np.testing.assert_allclose(y, [[1, 2, 3, 4], pairs], rtol=1e-6, atol=1e-6)
    halves = [c - 3 * s, 2 * c2 - 4 * s2, 3 * c + s, 4 * c2 + 2 * s2]
    y = ops.convert_to_numpy(RotaryPositions("halves")(x))
    np.testing.assert_allclose(y, [[1, 2, 3, 4], halves], rtol=1e-6, atol=1e-6)


@settings(deadline=None, max_examples=20)
@given(start=st.integers(0, 5000), layout=st.sampled_from(LAYOUTS), seed=st.integers(0, 99))
def test_dot_products_depend_on_the_distance_alone(start, layout, seed):
    layer, query, key = RotaryPositions(layout), draw(5, 6, seed=seed), draw(5, 6, seed=seed + 1)

    def products(start):
        q, k = (ops.convert_to_numpy(layer(x, start_index=start)) for x in (query, key))
        return q @ k.T

    np.testing.assert_allclose(products(start), products(0), atol=2e-4)


def test_the_start_may_be_a_tensor():
    x = draw(3, 1, 6)
    at = ops.convert_to_tensor(7, "int32")
    np.testing.assert_allclose(
        ops.convert_to_numpy(RotaryPositions()(x, start_index=at)), rotary(x, 7), atol=1e-6
    )


@pytest.mark.parametrize(("policy", "bits"), [("mixed_bfloat16", 8), ("mixed_float16", 11)])
def test_half_precision_rounds_only_the_outcome(policy, bits):
    layer = RotaryPositions(dtype=policy)
    x = np.random.default_rng(0).integers(-16, 16, (1, 600, 6)) / 8  # exact in half precision
    y = layer(x.astype("float32"))
    assert keras.backend.standardize_dtype(y.dtype) == layer.compute_dtype
    y = ops.convert_to_numpy(ops.cast(y, "float32"))
    np.testing.assert_allclose(y, rotary(x), rtol=2.0**-bits, atol=2e-5)


def test_no_positions_give_none():
    assert tuple(RotaryPositions()(np.zeros((3, 0, 6), "float32")).shape) == (3, 0, 6)


def test_bad_arguments_name_themselves():
    with pytest.raises(ValueError, match="layout must be one of interleaved, halves.*'rows'"):
        RotaryPositions("rows")
    with pytest.raises(ValueError, match="max_wavelength must be positive"):
        RotaryPositions(max_wavelength=0)
    with pytest.raises(ValueError, match="even width; received 7"):
        RotaryPositions()(np.zeros((3, 5, 7), "float32"))
