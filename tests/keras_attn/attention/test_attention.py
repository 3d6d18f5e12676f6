"""Attention of one head against NumPy float64."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.attention.attention import Attention
from keras_attn.attention.scores import Additive
from tests.gradients import value_and_gradient
from tests.oracles import attention as oracle

RNG = np.random.default_rng(13)
MASK = RNG.random((3, 5, 7)) > 0.4
MASK[1, 2] = False


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


QUERY, VALUE, KEY = draw(3, 5, 11), draw(3, 7, 2, seed=2), draw(3, 7, 11, seed=3)


def numpy(tree):
    return keras.tree.map_structure(ops.convert_to_numpy, tree)


# ratio takes scores that are not negative
PAIRS = [
    (s, n) for s in oracle.SCORES for n in oracle.NORMALIZERS if n != "ratio" or s == "exp_dot"
]


@pytest.mark.parametrize(("score", "normalizer"), PAIRS)
def test_numbers(score, normalizer):
    layer = Attention(score=score, normalizer=normalizer)
    context, weights = numpy(
        layer(QUERY, VALUE, KEY, attention_mask=MASK, return_attention_scores=True)
    )
    expected = oracle.attention(QUERY, VALUE, KEY, MASK, score, normalizer, layer.get_weights())
    np.testing.assert_allclose(context, expected[0], atol=1e-5)
    np.testing.assert_allclose(weights, expected[1], atol=1e-5)
    assert (context[1, 2] == 0).all()


def test_keys_are_the_values_by_default_and_the_future_can_be_hidden():
    context = numpy(Attention()(QUERY, KEY, use_causal_mask=True))
    expected, _ = oracle.attention(QUERY, KEY, mask=oracle.causal(5, 7), score="dot")
    np.testing.assert_allclose(context, expected, atol=1e-5)


@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_shares_of_exponentials_are_a_softmax_that_does_not_overflow(scale):
    ours, same = Attention(score="exp_dot", normalizer="ratio"), Attention(score="dot")
    weights = [
        numpy(
            layer(
                scale * QUERY, VALUE, scale * KEY, attention_mask=MASK, return_attention_scores=True
            )[1]
        )
        for layer in (ours, same)
    ]
    np.testing.assert_allclose(*weights, rtol=1e-6, atol=5e-6)
    assert weights[0].sum() > 13


def test_prepared_keys_give_the_same_as_the_call():
    layer = Attention(score="additive", normalizer="entmax15")
    whole = numpy(layer(QUERY, VALUE, KEY, attention_mask=MASK))
    prepared = layer.prepare(KEY)
    for t in range(5):
        context, weights = layer.attend(QUERY[:, t : t + 1], prepared, VALUE, MASK[:, t : t + 1])
        np.testing.assert_allclose(numpy(context)[:, 0], whole[:, t], rtol=1e-6, atol=5e-6)
        assert tuple(weights.shape) == (3, 1, 7)


def test_dropout_falls_on_the_weights_and_spares_the_maps():
    layer = Attention(score="scaled_dot", dropout=0.5)
    # Contexts that show the weights, and the sum of them.
    value = np.broadcast_to(np.eye(7, 8, dtype="float32"), (3, 7, 8)).copy()
    value[..., 7] = 1
    context, weights = numpy(layer(QUERY, value, KEY, return_attention_scores=True, training=True))
    dropped, total = context[..., :7], context[..., 7]
    kept = dropped != 0
    assert 0.3 < kept.mean() < 0.7
    np.testing.assert_allclose(dropped[kept], 2 * weights[kept], rtol=1e-5)
    np.testing.assert_allclose(dropped.sum(-1), total, rtol=1e-5)
    np.testing.assert_allclose(
        weights, oracle.attention(QUERY, value, KEY)[1], rtol=1e-6, atol=5e-6
    )
    calm = numpy(layer(QUERY, value, KEY, training=False))
    np.testing.assert_allclose(calm[..., :7], weights, rtol=1e-6, atol=5e-6)


def test_keras_masks_are_read_and_explicit_ones_win():
    embed = keras.layers.Embedding(17, 11, mask_zero=True)
    ids = np.array([[3, 5, 0, 0, 0], [2, 3, 5, 7, 0], [11, 3, 2, 5, 7]])
    x = embed(ids)
    plain, mask = numpy(x), ids != 0
    layer = Attention(score="scaled_dot")
    output = layer(x, x)
    expected, _ = oracle.attention(plain, plain, mask=mask[:, :, None] & mask[:, None, :])
    np.testing.assert_allclose(numpy(output), expected, atol=1e-5)
    np.testing.assert_array_equal(numpy(output._keras_mask), mask)
    other = np.array(ids) != 3
    output = layer(x, x, query_mask=np.ones_like(other), value_mask=other)
    expected, _ = oracle.attention(plain, plain, mask=other[:, None, :])
    np.testing.assert_allclose(numpy(output), expected, atol=1e-5)


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize("score", sorted(oracle.SCORES))
def test_half_precision_stays_finite_where_nothing_is_open(score, policy):
    layer = Attention(score=score, dtype=policy)
    context = layer(QUERY / 2, VALUE, KEY / 2, attention_mask=MASK)
    assert keras.backend.standardize_dtype(context.dtype) == layer.compute_dtype
    context = numpy(ops.cast(context, "float32"))
    expected, _ = oracle.attention(
        QUERY / 2, VALUE, KEY / 2, MASK, score, weights=layer.get_weights()
    )
    np.testing.assert_allclose(context, expected, atol=0.1)
    assert (context[1, 2] == 0).all()


@pytest.mark.quick(2)
@pytest.mark.parametrize("normalizer", sorted(oracle.NORMALIZERS))
@pytest.mark.parametrize("jit_compile", [False, True])
def test_gradients_are_finite_where_nothing_is_open(normalizer, jit_compile):
    layer = Attention(
        score="exp_dot" if normalizer == "ratio" else "scaled_dot", normalizer=normalizer
    )
    layer.build(QUERY.shape, VALUE.shape, KEY.shape)
    _, gradient = value_and_gradient(
        lambda q: ops.sum(layer(q, VALUE, KEY, attention_mask=MASK) ** 2), QUERY, jit_compile
    )
    assert np.isfinite(gradient).all() and (gradient[1, 2] == 0).all() and (gradient != 0).any()


def test_config_holds_names_as_names_and_layers_as_layers():
    layer = Attention(score="cosine", normalizer="sparsemax", dropout=0.25)
    config = layer.get_config()
    assert (config["score"], config["normalizer"], config["dropout"]) == (
        "cosine",
        "sparsemax",
        0.25,
    )
    layer = Attention(score=Additive(units=13))
    layer(QUERY, VALUE, KEY)
    again = Attention.from_config(layer.get_config())
    again.build(QUERY.shape, VALUE.shape, KEY.shape)
    assert isinstance(again.score, Additive) and again.score.units == 13
    again.set_weights(layer.get_weights())
    np.testing.assert_array_equal(numpy(again(QUERY, VALUE, KEY)), numpy(layer(QUERY, VALUE, KEY)))


def test_bad_arguments_name_themselves():
    with pytest.raises(ValueError, match="dropout must be at least 0 and less than 1.*1.5"):
        Attention(dropout=1.5)
    with pytest.raises(ValueError, match="score must be one of"):
        Attention(score="euclid")
    with pytest.raises(ValueError, match="normalizer must be one of"):
        Attention(normalizer="max")
