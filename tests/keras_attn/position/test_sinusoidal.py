"""Sinusoidal positions against NumPy float64: far positions, odd widths, half precision."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.position.sinusoidal import SinusoidalPositions
from tests.oracles.position import sinusoidal


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("width", [1, 2, 7, 16])
@pytest.mark.parametrize("start", [0, 3, 250, 20_000])
def test_numbers(layout, width, start):
    table = SinusoidalPositions(layout, max_wavelength=5000).encode(11, width, start)
    assert keras.backend.standardize_dtype(table.dtype) == "float32"
    expected = sinusoidal(11, width, start, layout, 5000)
    np.testing.assert_allclose(ops.convert_to_numpy(table), expected, atol=1e-5)


def test_numbers_by_hand():
    table = ops.convert_to_numpy(SinusoidalPositions().encode(2, 4))
    expected = [[0, 1, 0, 1], [np.sin(1), np.cos(1), np.sin(0.01), np.cos(0.01)]]
    np.testing.assert_allclose(table, expected, rtol=1e-6, atol=1e-6)


def test_positions_are_added():
    x = np.random.default_rng(0).normal(size=(3, 5, 11)).astype("float32")
    y = ops.convert_to_numpy(SinusoidalPositions()(x, start_index=2))
    np.testing.assert_allclose(y, x + sinusoidal(5, 11, 2), rtol=1e-6, atol=1e-6)


def test_the_start_may_be_a_tensor():
    x = np.zeros((3, 1, 11), "float32")
    layer = SinusoidalPositions()
    at_start = layer(x, start_index=ops.convert_to_tensor(300, "int32"))
    whole = layer(np.zeros((3, 301, 11), "float32"))
    np.testing.assert_allclose(
        ops.convert_to_numpy(at_start)[:, 0], ops.convert_to_numpy(whole)[:, 300], atol=1e-6
    )


@pytest.mark.parametrize(("policy", "bits"), [("mixed_bfloat16", 8), ("mixed_float16", 11)])
def test_half_precision_rounds_only_the_sum(policy, bits):
    layer = SinusoidalPositions(dtype=policy)
    x = np.random.default_rng(0).integers(-16, 16, (1, 600, 16)) / 8  # exact in half precision
    y = layer(x.astype("float32"))
    assert keras.backend.standardize_dtype(y.dtype) == layer.compute_dtype
    y = ops.convert_to_numpy(ops.cast(y, "float32"))
    np.testing.assert_allclose(y, x + sinusoidal(600, 16), rtol=2.0**-bits, atol=1e-5)
    apart = np.abs(np.diff((y - x)[0, 256:], axis=0)).max(-1)
    assert (apart > 0.4).all()  # bfloat16 cannot tell position 257 from 256


def test_a_mask_passes_through():
    x = keras.layers.Embedding(7, 4, mask_zero=True)(np.array([[1, 2, 0]]))
    mask = SinusoidalPositions()(x)._keras_mask
    assert ops.convert_to_numpy(mask).tolist() == [[True, True, False]]


def test_bad_arguments_name_themselves():
    with pytest.raises(ValueError, match="layout must be one of interleaved, halves.*'rows'"):
        SinusoidalPositions("rows")
    with pytest.raises(ValueError, match="max_wavelength must be positive"):
        SinusoidalPositions(max_wavelength=0)
