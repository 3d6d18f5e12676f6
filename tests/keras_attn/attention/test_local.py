"""Local attention equals full attention under the local mask, at every length."""

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops

from keras_attn.attention.local import LEAST_CHUNK, LocalAttention
from keras_attn.attention.multi_head import MultiHeadAttention
from tests.gradients import value_and_gradient
from tests.litert import in_litert
from tests.oracles import attention as oracle


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def numpy(x):
    return ops.convert_to_numpy(x)


def built(window, **options):
    layer = LocalAttention(2, 7, window, **options)
    layer.build(*[(None, None, 11)] * 2)
    layer.set_weights([0.4 * draw(*w.shape, seed=i) for i, w in enumerate(layer.weights)])
    return layer


def near(length, window, causal, mask):
    t, s = np.indices((length, length))
    allowed = (np.abs(t - s) <= window) & ((s <= t) | (not causal))
    return allowed & mask[:, None, :]


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 71), st.integers(0, 37), st.booleans(), st.integers(0, 9))
def test_numbers_at_every_length_and_window(length, window, causal, seed):
    layer, x = built(window), draw(3, length, 11, seed=seed)
    mask = np.random.default_rng(seed).random((3, length)) < 0.7
    output = numpy(layer(x, x, use_causal_mask=causal, value_mask=mask))
    seen = near(length, window, causal, mask)
    expected, _ = oracle.multi_head(layer.get_weights(), x, x, None, seen)
    np.testing.assert_allclose(output, expected, atol=1e-5)


@pytest.mark.parametrize("causal", [False, True])
def test_it_is_multi_head_attention_with_its_weights_and_the_local_mask(causal):
    layer, exact = built(window=5), MultiHeadAttention(2, 7)
    query, value, key = (draw(3, 53, 11, seed=i) for i in range(3))
    exact.build(query.shape, value.shape)
    exact.set_weights(layer.get_weights())
    masks = {
        f"{name}_mask": np.random.default_rng(i).random((3, 53)) < 0.8
        for i, name in enumerate(("query", "value", "key"))
    }
    everything = np.ones((3, 53), bool)
    expected = exact(
        query, value, key, attention_mask=near(53, 5, causal, everything),
        return_attention_scores=True, **masks,
    )  # fmt: skip
    options = {"use_causal_mask": causal, "return_attention_scores": True}
    actual = layer(query, value, key, **options, **masks)
    for ours, theirs in zip(actual, expected, strict=True):
        np.testing.assert_allclose(numpy(ours), numpy(theirs), atol=1e-5)
    options = {"use_causal_mask": causal}
    np.testing.assert_array_equal(numpy(layer(query, value, key, **options, **masks)), actual[0])


@pytest.mark.parametrize("xla", [False, True])
@pytest.mark.parametrize("length", [5, 2 * LEAST_CHUNK + 3])
def test_gradient_is_that_of_full_attention(length, xla):
    layer, exact = built(window=3), MultiHeadAttention(2, 7)
    x, probe = draw(2, 3, length, 11)
    exact.build(x.shape, x.shape)
    exact.set_weights(layer.get_weights())
    mask = np.random.default_rng(7).random((3, length)) < 0.7
    mask[1, :9] = False  # queries without anything to see
    seen = near(length, 3, True, mask)
    _, expected = value_and_gradient(
        lambda x: ops.sum(exact(x, x, attention_mask=seen) * probe), x, xla
    )
    _, actual = value_and_gradient(
        lambda x: ops.sum(layer(x, x, use_causal_mask=True, value_mask=mask) * probe), x, xla
    )
    np.testing.assert_allclose(actual, expected, atol=2e-5)


def test_dropout_falls_on_the_weights_and_spares_the_maps():
    # Each position's only weight, to itself, is dropped or doubled.
    layer, x = LocalAttention(1, 7, window=0, dropout=0.5, use_bias=False), draw(3, 53, 11)
    calm = numpy(layer(x, x, training=False))
    options = {"training": True, "return_attention_scores": True}
    output, weights = map(numpy, layer(x, x, **options))
    kept = output.any(-1)
    assert 0.3 < kept.mean() < 0.7
    np.testing.assert_allclose(output[kept], 2 * calm[kept], atol=1e-5)
    alone = np.broadcast_to(np.eye(53), (3, 1, 53, 53))
    np.testing.assert_allclose(weights, alone, atol=1e-6)


def test_no_tensor_grows_with_the_square_of_the_length():
    if keras.backend.backend() != "tensorflow":
        pytest.skip("reads TensorFlow's graph")
    import tensorflow as tf

    layer, length = built(window=2), 1024
    call = tf.function(lambda x: layer(x, x, use_causal_mask=True))
    graph = call.get_concrete_function(tf.TensorSpec((1, length, 11))).graph
    sizes = [t.shape.num_elements() for op in graph.get_operations() for t in op.outputs]
    greatest = max(size for size in sizes if size is not None)
    assert length * 11 <= greatest <= length * 2 * 2 * LEAST_CHUNK


@pytest.mark.thorough
def test_chunks_in_a_file():
    if keras.backend.backend() != "tensorflow":
        pytest.skip("LiteRT files are made from TensorFlow")
    import tensorflow as tf

    layer = built(window=3)
    file = in_litert(
        lambda x, mask: layer(x, x, value_mask=mask),
        {"x": tf.TensorSpec((None, None, 11)), "mask": tf.TensorSpec((None, None), tf.bool)},
        layer.weights,
    )
    for length in (5, 2 * LEAST_CHUNK + 3):
        x, mask = draw(3, length, 11), np.random.default_rng(7).random((3, length)) < 0.7
        np.testing.assert_allclose(
            file(x=x, mask=mask), numpy(layer(x, x, value_mask=mask)), atol=1e-5
        )


def test_bad_arguments_name_themselves():
    with pytest.raises(ValueError, match="window must be at least 0; received -1"):
        LocalAttention(2, 7, window=-1)
    with pytest.raises(ValueError, match="dropout must be"):
        LocalAttention(2, 7, window=1, dropout=1.0)
    with pytest.raises(ValueError, match="equal length; received 5 and 3"):
        LocalAttention(2, 7, window=1)(draw(3, 5, 11), draw(3, 3, 11))
