"""Normalizers against NumPy float64, where sparse thresholds come from bisection, not sorting."""

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from keras import ops

from keras_attn.attention.normalizers import NORMALIZERS, get_normalizer, serialize_normalizer
from tests.gradients import value_and_gradient
from tests.oracles import attention as oracle

NAMES = sorted(oracle.NORMALIZERS)
SPARSE = ["sparsemax", "entmax15"]
MASK = np.random.default_rng(3).random((3, 5, 7)) > 0.4
MASK[1, 2] = False


def draw(name, scale=1.0, seed=5):
    scores = scale * np.random.default_rng(seed).normal(size=(3, 5, 7))
    return (np.abs(scores) if name == "ratio" else scores).astype("float32")


@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("name", NAMES)
def test_numbers(name, scale, masked):
    mask = MASK if masked else None
    weights = ops.convert_to_numpy(NORMALIZERS[name](draw(name, scale), mask))
    np.testing.assert_allclose(weights, oracle.normalize(name, draw(name, scale), mask), atol=1e-5)
    if masked:
        assert (weights[~MASK] == 0).all()


@pytest.mark.parametrize("name", SPARSE)
@settings(max_examples=40, deadline=None)
@given(scores=arrays(np.float32, (2, 6), elements=st.integers(-40, 40).map(lambda n: n / 8)))
def test_sparse_numbers_with_ties(name, scores):
    weights = ops.convert_to_numpy(NORMALIZERS[name](scores))
    np.testing.assert_allclose(weights, oracle.normalize(name, scores), atol=1e-5)


@pytest.mark.parametrize("name", SPARSE)
def test_sparse_weights_hold_exact_zeros_and_sum_to_one(name):
    weights = ops.convert_to_numpy(NORMALIZERS[name](draw(name, 2.0)))
    assert 0.2 < (weights == 0).mean() < 0.9
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-6, atol=5e-6)


@pytest.mark.parametrize("name", SPARSE)
def test_sparse_weights_stay_exact_far_from_zero(name):
    scores = np.array([[1e4, 1e4 - 0.5, -1e6, 1e4 - 8], [-3e4, -3e4, -3e4 - 0.25, -9e4]], "float32")
    weights = ops.convert_to_numpy(NORMALIZERS[name](scores))
    np.testing.assert_allclose(weights, oracle.normalize(name, scores), atol=1e-5)


@pytest.mark.parametrize("name", SPARSE)
def test_compiled_scores_that_nearly_tie(name):
    """XLA may compute scores twice with different roundings."""

    def weights(x):
        return NORMALIZERS[name](1e-3 * ops.sum(ops.tanh(x), axis=-1))

    x = np.random.default_rng(5).normal(size=(3, 5, 11, 7)).astype("float32")
    if keras.backend.backend() == "jax":
        import jax

        actual = jax.jit(weights)(x)
    else:
        import tensorflow as tf

        actual = tf.function(weights, jit_compile=True)(x)
    expected = oracle.normalize(name, 1e-3 * np.tanh(x.astype("float64")).sum(-1))
    np.testing.assert_allclose(ops.convert_to_numpy(actual), expected, atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_along_another_axis(name):
    scores = draw(name)
    weights = NORMALIZERS[name](np.swapaxes(scores, 1, 2), np.swapaxes(MASK, 1, 2), axis=1)
    expected = np.swapaxes(oracle.normalize(name, scores, MASK), 1, 2)
    np.testing.assert_allclose(ops.convert_to_numpy(weights), expected, atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_masked_changes_nothing(name):
    changed = np.where(MASK, draw(name), 1e5).astype("float32")
    weights, again = NORMALIZERS[name](draw(name), MASK), NORMALIZERS[name](changed, MASK)
    np.testing.assert_array_equal(ops.convert_to_numpy(weights), ops.convert_to_numpy(again))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", NAMES)
def test_half_precision_is_rounded_once(name, dtype):
    scores = ops.cast(draw(name, 3.0), dtype)
    weights = NORMALIZERS[name](scores, MASK)
    assert weights.dtype == scores.dtype
    expected = oracle.normalize(name, ops.convert_to_numpy(ops.cast(scores, "float32")), MASK)
    got = ops.convert_to_numpy(ops.cast(weights, "float32"))
    np.testing.assert_allclose(got, expected, rtol=2**-8, atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_gradient_is_that_of_the_formula(name):
    """Central differences of the float64 oracle, away from the kinks of the sparse ones."""
    scores, probe = draw(name, 1.5), draw("dot", seed=9)

    def objective(x):
        return (oracle.normalize(name, x, MASK) * probe).sum()

    _, gradient = value_and_gradient(lambda x: ops.sum(NORMALIZERS[name](x, MASK) * probe), scores)
    assert np.isfinite(gradient).all()
    expected = np.zeros(scores.shape)
    for at in np.ndindex(scores.shape):
        step = np.zeros(scores.shape)
        step[at] = 1e-6
        expected[at] = (objective(scores + step) - objective(scores - step)) / 2e-6
    np.testing.assert_allclose(gradient, expected, atol=1e-4)
    assert (gradient[~MASK] == 0).all() and (gradient != 0).any()


def test_names():
    assert [get_normalizer(name) for name in NAMES] == [NORMALIZERS[name] for name in NAMES]
    assert [serialize_normalizer(NORMALIZERS[name]) for name in NAMES] == NAMES
    with pytest.raises(ValueError, match="normalizer must be one of softmax, ratio, .*'max'"):
        get_normalizer("max")
