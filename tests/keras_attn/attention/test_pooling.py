"""Attention pooling against NumPy float64."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.attention.pooling import AttentionPooling
from tests.gradients import value_and_gradient
from tests.oracles import other_attention as oracle

MASK = np.array([[1, 1, 0, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]], bool)


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


SEQUENCE = draw(3, 5, 11)


def built(**options):
    layer = AttentionPooling(**options)
    layer.build((None, None, 11))
    layer.set_weights([draw(*w.shape, seed=i) for i, w in enumerate(layer.weights)])
    return layer


@pytest.mark.parametrize("units", [None, 7])
@pytest.mark.parametrize("mask", [None, MASK])
def test_numbers(units, mask):
    layer = built(units=units)
    width = units or 11
    assert [tuple(w.shape) for w in layer.weights] == [(11, width), (width,), (width,)]
    pooled, weights = layer(SEQUENCE, mask=mask, return_attention_scores=True)
    expected = oracle.pooling(layer.get_weights(), SEQUENCE, mask)
    np.testing.assert_allclose(ops.convert_to_numpy(pooled), expected[0], atol=1e-5)
    np.testing.assert_allclose(ops.convert_to_numpy(weights), expected[1], atol=1e-5)
    if mask is not None:
        assert (ops.convert_to_numpy(pooled)[1] == 0).all()


def test_by_hand():
    layer = AttentionPooling()
    layer.build((None, None, 1))
    layer.set_weights([np.array([[1.0]]), np.array([0.0]), np.array([np.log(3) / np.tanh(1)])])
    pooled = layer(np.array([[[0.0], [1.0]]], "float32"))  # weights 1/4 and 3/4
    np.testing.assert_allclose(ops.convert_to_numpy(pooled), [[0.75]], rtol=1e-6, atol=5e-6)


def test_sentences_of_documents_are_pooled_in_one_call():
    layer, words = built(), draw(3, 2, 5, 11, seed=2)
    pooled = ops.convert_to_numpy(layer(words))
    for sentence in range(2):
        alone = ops.convert_to_numpy(layer(words[:, sentence]))
        np.testing.assert_allclose(pooled[:, sentence], alone, rtol=1e-6, atol=5e-6)


def test_the_mask_of_the_time_axis_ends_here():
    x = keras.layers.Masking()(SEQUENCE * MASK[..., None])
    pooled = built()(x)
    assert getattr(pooled, "_keras_mask", None) is None
    expected = oracle.pooling(built().get_weights(), SEQUENCE, MASK)[0]
    np.testing.assert_allclose(ops.convert_to_numpy(pooled), expected, atol=1e-5)


@pytest.mark.parametrize("length", [0, 1])
def test_shortest_sequences(length):
    pooled = ops.convert_to_numpy(built()(SEQUENCE[:, :length]))
    np.testing.assert_allclose(pooled, SEQUENCE[:, 0] if length else 0, rtol=1e-6, atol=5e-6)
    assert pooled.shape == (3, 11)


def test_gradient_is_finite_and_zero_where_masked():
    layer = built()
    _, gradient = value_and_gradient(lambda x: ops.sum(layer(x, mask=MASK) ** 2), SEQUENCE)
    assert np.isfinite(gradient).all() and (gradient[~MASK] == 0).all() and gradient[MASK].all()


def test_bad_arguments_name_themselves():
    with pytest.raises(ValueError, match="units must be a positive integer; received 0"):
        AttentionPooling(units=0)
