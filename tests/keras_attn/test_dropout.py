"""What is dropped is what the hash says, and is dropped as if at random."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.dropout import Dropout
from tests.gradients import value_and_gradient
from tests.oracles.hashing import hash_of


def masks(steps, seed, count=2**15, rate=0.3):
    """What is kept in each step, scaled to a mean of 0 and a variance of 1."""
    keep = np.stack([hash_of(np.arange(count), (seed, t)) >= rate * 2**32 for t in range(steps)])
    return (keep - (1 - rate)) / np.sqrt(rate * (1 - rate))


@pytest.mark.parametrize("noise_shape", [None, (None, 1, None), (3, 5, 1)])
def test_numbers(noise_shape):
    x = np.random.default_rng(1).normal(size=(3, 5, 11)).astype("float32")
    layer = Dropout(0.4, noise_shape, seed=13)
    for _ in range(3):
        seed = ops.convert_to_numpy(layer.seed_generator.state)
        shape = [n or size for n, size in zip(noise_shape or x.shape, x.shape, strict=True)]
        bits = hash_of(np.arange(np.prod(shape)), seed).reshape(shape)
        expected = np.where(bits >= 0.4 * 2**32, x.astype("float64") / 0.6, 0)
        actual = ops.convert_to_numpy(layer(x, training=True))
        np.testing.assert_allclose(actual, expected, rtol=1e-6)
        assert not np.array_equal(ops.convert_to_numpy(layer.seed_generator.state), seed)


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="compiles with TensorFlow")
@pytest.mark.parametrize("jit_compile", [False, True])
def test_compiled_for_all_sizes_it_drops_the_same(jit_compile):
    import tensorflow as tf

    x, expected, layer = ops.ones((3, 5, 7)), Dropout(0.4, seed=2), Dropout(0.4, seed=2)
    sizes = [tf.TensorSpec((None, None, None))]
    step = tf.function(
        lambda x: layer(x, training=True), input_signature=sizes, jit_compile=jit_compile
    )
    for _ in range(2):
        np.testing.assert_allclose(step(x), expected(x, training=True), rtol=1e-6)


def test_the_mean_stays_and_what_is_dropped_has_no_gradient():
    x = np.full((97, 101), 2.0, "float32")
    layer = Dropout(0.25, seed=3)
    seed = ops.convert_to_numpy(layer.seed_generator.state)
    total, slopes = value_and_gradient(lambda x: ops.sum(layer(x, training=True)), x)
    kept = hash_of(np.arange(x.size), seed).reshape(x.shape) >= 2**30
    np.testing.assert_allclose(slopes, kept / 0.75, rtol=1e-6)
    assert abs(total / x.size - 2.0) < 0.07  # six standard deviations


def test_rates_at_the_ends_and_without_training():
    x = np.random.default_rng(1).normal(size=(3, 5)).astype("float32")
    for layer, training, expected in (
        (Dropout(0.0), True, x),
        (Dropout(1.0), True, 0 * x),
        (Dropout(0.5), False, x),
        (Dropout(0.5), None, x),
    ):
        actual = ops.convert_to_numpy(layer(x, training=training))
        np.testing.assert_array_equal(actual, expected)
    with pytest.raises(ValueError, match="rate"):
        Dropout(1.5)


@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_half_precision_stays(policy):
    layer = Dropout(0.5, dtype=policy)
    assert keras.backend.standardize_dtype(layer(ops.ones((3, 5)), training=True).dtype) == (
        policy.removeprefix("mixed_")
    )


@pytest.mark.parametrize("seed", [0, 1, 12345678])
def test_steps_and_places_are_not_correlated(seed):
    """Sums of products of independent draws are normal, with a deviation of 1."""
    z = masks(200, seed)
    steps = (z @ z.T / np.sqrt(z.shape[1]))[~np.eye(len(z), dtype=bool)]
    places = (z[:, :1500].T @ z[:, :1500] / np.sqrt(len(z)))[~np.eye(1500, dtype=bool)]
    for actual in (steps, places):
        assert abs(actual.std() - 1) < 0.02
        assert abs(actual).max() < 6.5
    for lag in (1, 7, 64, 512):
        assert abs((z[:, lag:] * z[:, :-lag]).sum()) / np.sqrt(z[:, lag:].size) < 4.5
    assert abs(z.sum()) / np.sqrt(z.size) < 4.5


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_the_share_that_is_dropped(rate):
    bits = hash_of(np.arange(10**6), (5, 6))
    assert abs((bits < rate * 2**32).mean() - rate) < 5 * np.sqrt(rate * (1 - rate) / 10**6)
    # All 32 bits are as likely set as not, and few bits tell nothing of others.
    ones = (bits[:, None] >> np.arange(32, dtype="uint32")) & 1
    assert abs(ones.mean(axis=0) - 0.5).max() < 5 * 0.5 / 1000
    assert abs(np.corrcoef(ones.T) - np.eye(32)).max() < 6 / 1000
