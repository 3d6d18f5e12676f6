"""Scores against NumPy float64, pair by pair."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.attention.scores import Additive, Concat, Cosine, Dot, ExpDot, Score, get_score
from tests.gradients import value_and_gradient
from tests.oracles import attention as oracle

NAMES = sorted(oracle.SCORES)
LEARNED = ["additive", "concat", "general"]


def draw(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def jitter(layer):
    layer.set_weights([draw(*w.shape, seed=i) for i, w in enumerate(layer.weights)])


@pytest.mark.parametrize("leading", [(3,), (3, 2)])
@pytest.mark.parametrize("name", NAMES)
def test_numbers(name, leading):
    query, key = draw(*leading, 5, 11), draw(*leading, 7, 11, seed=2)
    score = get_score(name)
    score.build(query.shape, key.shape)
    jitter(score)
    expected = oracle.scores(name, query, key, *score.get_weights())
    np.testing.assert_allclose(
        ops.convert_to_numpy(score(query, key)), expected, rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("name", LEARNED)
def test_query_and_key_may_differ_in_width(name):
    query, key = draw(3, 5, 11), draw(3, 7, 13, seed=2)
    score = get_score(name)
    score.build(query.shape, key.shape)
    jitter(score)
    expected = oracle.scores(name, query, key, *score.get_weights())
    np.testing.assert_allclose(ops.convert_to_numpy(score(query, key)), expected, atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_prepared_keys_can_be_asked_again(name):
    query, key = draw(3, 5, 11), draw(3, 7, 11, seed=2)
    score = get_score(name)
    whole = ops.convert_to_numpy(score(query, key))
    prepared = score.prepare(ops.convert_to_tensor(key))
    assert tuple(prepared.shape)[:-1] == (3, 7)
    for t in range(5):
        row = score.compare(ops.convert_to_tensor(query[:, t : t + 1]), prepared)
        np.testing.assert_allclose(
            ops.convert_to_numpy(row)[:, 0], whole[:, t], rtol=1e-5, atol=1e-5
        )


@pytest.mark.parametrize("score", [Additive(units=13), Concat(units=13)])
def test_units_are_the_hidden_width(score):
    score(draw(3, 5, 11), draw(3, 7, 11))
    assert tuple(score.prepare(ops.ones((3, 7, 11))).shape) == (3, 7, 13)
    assert tuple(score.output_kernel.shape) == (13,)
    assert type(score).from_config(score.get_config()).units == 13


def test_concat_is_additive_with_its_weights_stacked():
    query, key = draw(3, 5, 11), draw(3, 7, 13)
    additive, concat = Additive(units=2), Concat(units=2)
    additive.build(query.shape, key.shape)
    concat.build(query.shape, key.shape)
    jitter(additive)
    u, v, w = additive.get_weights()
    concat.set_weights([np.concatenate([u, v]), w])
    np.testing.assert_allclose(
        ops.convert_to_numpy(concat(query, key)),
        ops.convert_to_numpy(additive(query, key)),
        atol=5e-6,
    )


def test_cosine_of_a_zero_vector_is_zero_with_a_finite_gradient():
    query = np.concatenate([np.zeros((3, 1, 11), "float32"), draw(3, 5, 11)], axis=1)
    score = Cosine()
    scores = ops.convert_to_numpy(score(query, draw(3, 7, 11)))
    assert (scores[:, 0] == 0).all() and (scores[:, 1:] != 0).any()
    _, gradient = value_and_gradient(lambda q: ops.sum(score(q, draw(3, 7, 11))), query)
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize("name", NAMES)
def test_half_precision_comes_in_the_compute_dtype(name, policy):
    query, key = draw(3, 5, 11) / 4, draw(3, 7, 11, seed=2) / 4
    score = get_score(name, dtype=policy)
    got = score(query, key)
    expected_dtype = "float32" if isinstance(score, ExpDot) else score.compute_dtype
    assert keras.backend.standardize_dtype(got.dtype) == expected_dtype
    expected = oracle.scores(name, query, key, *score.get_weights())
    np.testing.assert_allclose(ops.convert_to_numpy(ops.cast(got, "float32")), expected, atol=0.05)


def test_bad_arguments_name_themselves():
    with pytest.raises(ValueError, match="score must be one of dot, scaled_dot, .*'dott'"):
        get_score("dott")
    with pytest.raises(ValueError, match="Dot requires query and key of equal width.*11 and 13"):
        Dot()(draw(3, 5, 11), draw(3, 7, 13))
    with pytest.raises(ValueError, match="units must be a positive integer; received 0"):
        Additive(units=0)


def test_a_score_of_one_s_own_is_taken_as_it_is():
    class Half(Score):
        def compare(self, query, prepared):
            return super().compare(query, prepared) / 2

    score = Half()
    assert get_score(score) is score
    query, key = draw(3, 5, 11), draw(3, 7, 11)
    np.testing.assert_allclose(
        ops.convert_to_numpy(score(query, key)), oracle.scores("dot", query, key) / 2, atol=1e-5
    )


def test_leading_axes_that_differ_are_named():
    query, key = np.ones((3, 1, 5, 11), "float32"), np.ones((3, 7, 11), "float32")
    with pytest.raises(ValueError) as error:
        Dot()(query, key)
    assert str(error.value) == (
        "key must be a float tensor (..., S, Dk) with ...=(3, 1); received float32 (3, 7, 11)."
    )
