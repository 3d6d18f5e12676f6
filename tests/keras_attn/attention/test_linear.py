"""Linear attention against all its weights in NumPy float64, in chunks and step by step."""

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops

from keras_attn.attention.linear import LinearAttention
from keras_attn.functional.linear_sums import CHUNK, causal_linear_attention, linear_attention
from tests.gradients import value_and_gradient
from tests.litert import in_litert
from tests.oracles import other_attention as oracle

LENGTHS = [0, 1, 2, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3]


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def numpy(x):
    return ops.convert_to_numpy(x)


def built(layer=None, width=11):
    layer = layer or LinearAttention(2, 7)
    layer.build((None, None, width), (None, None, width))
    layer.set_weights(
        [(0.4 if w.trainable else 1) * draw(*w.shape, seed=i) for i, w in enumerate(layer.weights)]
    )
    return layer


def mask_of(length, seed=5):
    return np.random.default_rng(seed).random((3, length)) < 0.6


@pytest.mark.parametrize("length", LENGTHS)
def test_causal_numbers_at_every_length(length):
    layer, x = built(), draw(3, length, 11)
    mask = mask_of(length)
    output = layer(x, x, use_causal_mask=True, value_mask=mask)
    expected = oracle.linear(layer.get_weights(), x, x, None, None, mask, causal=True)
    np.testing.assert_allclose(numpy(output), expected, atol=1e-5)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_numbers_at_any_two_lengths(t, s, seed):
    layer, query, value, key = built(), draw(3, t, 11), draw(3, s, 11), draw(3, s, 11, seed=seed)
    query_mask, key_mask = mask_of(t, seed), mask_of(s, seed + 1)
    output = layer(query, value, key, query_mask=query_mask, key_mask=key_mask)
    expected = oracle.linear(layer.get_weights(), query, value, key, query_mask, key_mask)
    np.testing.assert_allclose(numpy(output), expected, atol=1e-5)


def test_steps_give_the_whole_causal_sequence():
    layer, x = built(), draw(3, 5, 11)
    whole = numpy(layer(x, x, use_causal_mask=True))
    state = layer.initial_state(3)
    for t in range(5):
        output, state = layer.step(x[:, t : t + 1], state)
        assert tuple(state.shape) == (3, 2, 7, 8)
        np.testing.assert_allclose(numpy(output)[:, 0], whole[:, t], atol=1e-5)
    value, key = draw(3, 5, 11, seed=2), draw(3, 5, 11, seed=3)
    whole = numpy(layer(x, value, key, use_causal_mask=True))
    state = layer.initial_state(ops.shape(ops.convert_to_tensor(x))[0])
    for t in range(5):
        output, state = layer.step(x[:, t : t + 1], state, value=value[:, t : t + 1],
                                   key=key[:, t : t + 1])  # fmt: skip
    np.testing.assert_allclose(numpy(output)[:, 0], whole[:, 4], atol=1e-5)


@pytest.mark.parametrize("xla", [False, True])
@pytest.mark.parametrize("length", [5, CHUNK + 3])
def test_gradient_of_the_chunks_is_that_of_all_weights(length, xla):
    query, key, value, probe = np.abs(draw(4, 3, 2, length, 7))
    tril = np.tril(np.ones((length, length), "float32"))

    def plain(key):
        products = ops.matmul(ops.convert_to_tensor(query), ops.swapaxes(key, -1, -2)) * tril
        shares = products / ops.sum(products, axis=-1, keepdims=True)
        return ops.sum(ops.matmul(shares, value) * probe)

    def chunks(key):
        return ops.sum(causal_linear_attention(ops.convert_to_tensor(query), key, value) * probe)

    (value_0, gradient_0), (value_1, gradient_1) = (
        value_and_gradient(f, key, xla) for f in (plain, chunks)
    )
    np.testing.assert_allclose(value_1, value_0, rtol=1e-5)
    np.testing.assert_allclose(gradient_1, gradient_0, atol=2e-5)


@pytest.mark.parametrize("causal", [False, True])
def test_tiny_and_absent_weights_give_finite_gradients(causal):
    layer, x = built(), draw(3, CHUNK + 3, 11)
    mask = mask_of(CHUNK + 3)
    mask[0] = False
    # Projections of such queries and keys are far below zero, and so are their features' logs.
    for scale in (1.0, 10.0):
        value, gradient = value_and_gradient(
            lambda x, s=scale: ops.sum(
                layer(s * x, s * x, use_causal_mask=causal, value_mask=mask) ** 2
            ),
            x,
        )
        assert np.isfinite(value) and np.isfinite(gradient).all() and gradient[1:].any()


def test_features_far_below_zero_keep_their_ratios():
    query, key, value = draw(1, 1, 3, 7), draw(1, 1, 5, 7, seed=2) - 20, draw(1, 1, 5, 7, seed=3)
    layer = LinearAttention(1, 7)
    features = layer.query_features(query), layer.key_features(key)
    got = numpy(linear_attention(*features, value))
    products = oracle.elu_plus_one(query.astype(float)) @ np.swapaxes(
        oracle.elu_plus_one(key.astype(float)), -1, -2
    )
    expected = products / products.sum(-1, keepdims=True) @ value
    np.testing.assert_allclose(got, expected, atol=1e-5)


@pytest.mark.parametrize("policy", ["float16", "mixed_bfloat16"])
def test_sums_over_many_positions_do_not_leave_half_precision(policy):
    x = np.ones((1, 9001, 2), "float32")
    layer = LinearAttention(1, 3, dtype=policy)
    output = layer(x, x)
    assert keras.backend.standardize_dtype(output.dtype) == layer.compute_dtype
    one = numpy(ops.cast(layer(x[:, :1], x[:, :1]), "float32"))
    np.testing.assert_allclose(numpy(ops.cast(output, "float32"))[:, :1], one, rtol=1e-2)


@pytest.mark.thorough
def test_chunks_and_steps_in_a_file():
    if keras.backend.backend() != "tensorflow":
        pytest.skip("LiteRT files are made from TensorFlow")
    import tensorflow as tf

    layer = built()
    whole = in_litert(
        lambda x: layer(x, x, use_causal_mask=True),
        {"x": tf.TensorSpec((None, None, 11))},
        layer.weights,
    )

    def one_step(x, state):
        return ops.concatenate([ops.reshape(y, (-1,)) for y in layer.step(x, state)], axis=0)

    specs = {"x": tf.TensorSpec((None, 1, 11)), "state": tf.TensorSpec((None, 2, 7, 8))}
    step = in_litert(one_step, specs, layer.weights)
    for length in (5, 2 * CHUNK + 3):
        x = draw(3, length, 11)
        expected = numpy(layer(x, x, use_causal_mask=True))
        np.testing.assert_allclose(whole(x=x), expected, atol=1e-5)
    state = np.zeros((3, 2, 7, 8), "float32")
    for t in range(5):
        output, state = np.split(step(x=x[:, t : t + 1], state=state), [33])
        state = state.reshape(3, 2, 7, 8)
        np.testing.assert_allclose(output.reshape(3, 11), expected[:, t], atol=1e-5)


def test_bad_arguments_name_themselves():
    for name in ("num_heads", "key_dim", "output_shape"):
        arguments = {"num_heads": 2, "key_dim": 7} | {name: 0}
        with pytest.raises(ValueError, match=f"{name} must be a positive integer; received 0"):
            LinearAttention(**arguments)
    with pytest.raises(ValueError, match="use_causal_mask requires .*; received 5 and 3"):
        LinearAttention(2, 7)(draw(3, 5, 11), draw(3, 3, 11), use_causal_mask=True)
