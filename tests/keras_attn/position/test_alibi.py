"""Linear biases against NumPy float64 and against the numbers of the paper."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.position.alibi import AlibiBias, alibi_slopes
from tests.oracles import position as oracle


def test_slopes_of_the_paper():
    np.testing.assert_allclose(alibi_slopes(8), [2.0**-h for h in range(1, 9)], rtol=1e-12)
    np.testing.assert_allclose(alibi_slopes(16), [2.0 ** (-h / 2) for h in range(1, 17)])


@pytest.mark.parametrize("heads", [1, 2, 3, 5, 8, 11, 12, 20])
def test_slopes(heads):
    slopes = alibi_slopes(heads)
    np.testing.assert_allclose(slopes, oracle.alibi_slopes(heads), rtol=1e-12)
    assert len(set(slopes)) == heads


@pytest.mark.parametrize("heads", [2, 3])
@pytest.mark.parametrize("start", [0, 6, 3000])
def test_numbers(heads, start):
    x = np.random.default_rng(1).normal(size=(2, heads, 5, 7)).astype("float32")
    y = AlibiBias()(x, start_index=ops.convert_to_tensor(start, "int32"))
    expected = x + oracle.alibi(heads, 5, 7, start)
    np.testing.assert_allclose(ops.convert_to_numpy(y), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_scores_are_float32_and_finite(policy):
    dtype = policy.removeprefix("mixed_")
    x = ops.cast(ops.array([[[[1e30, -1e30, 1.0]]]]), dtype)
    y = AlibiBias(dtype=policy)(x, start_index=700)
    assert keras.backend.standardize_dtype(y.dtype) == "float32"
    y = ops.convert_to_numpy(y)
    assert np.isfinite(y).all()
    np.testing.assert_allclose(y[..., 2], 1 - 698 / 256, rtol=1e-6)
    symbolic = AlibiBias(dtype=policy)(keras.Input((2, None, None)))
    assert symbolic.dtype == "float32" and symbolic.shape == (None, 2, None, None)
