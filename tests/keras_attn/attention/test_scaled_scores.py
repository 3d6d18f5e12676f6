"""Dot-product scores with a scale of their own, and within a bound."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn import MultiHeadAttention, ScaledDot, SoftCappedDot
from keras_attn.attention import multi_head

SCORES = {
    "scaled": lambda: ScaledDot(0.3),
    "capped": lambda: SoftCappedDot(1.7, 0.3),
    "capped alone": lambda: SoftCappedDot(1.7),
}


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def expected(layer, x, score):
    """Attention in NumPy float64, of one query and all keys at a time."""
    q, k, v, o = (w.astype("float64") for w in layer.get_weights())
    queries, keys, values = (np.einsum("btd,dhk->bhtk", x, w) for w in (q, k, v))
    scale = 0.3 if getattr(score, "scale", None) else queries.shape[-1] ** -0.5
    scores = scale * queries @ np.swapaxes(keys, -1, -2)
    if isinstance(score, SoftCappedDot):
        scores = 1.7 * np.tanh(scores / 1.7)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    return np.einsum("bhtk,hkd->btd", weights @ values, o)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("in_blocks", [False, True])
def test_attention_is_the_formula(name, in_blocks, monkeypatch):
    monkeypatch.setattr(multi_head, "pays_in_blocks", lambda query, value: in_blocks)
    x, score = 3 * draw(2, 7, 11), SCORES[name]()
    layer = MultiHeadAttention(3, 5, use_bias=False, score=score)
    layer(x, x)
    layer.set_weights([draw(*w.shape, seed=n) for n, w in enumerate(layer.weights)])
    actual = ops.convert_to_numpy(layer(x, x))
    np.testing.assert_allclose(actual, expected(layer, x, score), rtol=1e-3, atol=1e-3)
    again = MultiHeadAttention.from_config(layer.get_config())
    again(x, x)
    again.set_weights(layer.get_weights())
    np.testing.assert_array_equal(ops.convert_to_numpy(again(x, x)), actual)


@pytest.mark.parametrize("name", SCORES)
def test_they_are_what_they_were_saved_as(name):
    score = SCORES[name]()
    again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(score))
    x = ops.convert_to_tensor(draw(2, 5, 7))
    np.testing.assert_array_equal(again(x, x), score(x, x))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ScaledDot(0.0), "scale must be positive; received 0.0"),
        (lambda: SoftCappedDot(-1.0), "cap must be positive; received -1.0"),
        (lambda: SoftCappedDot(1.0, float("nan")), "scale must be positive; received nan"),
    ],
)
def test_numbers_that_are_not_positive_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_flash_attention_has_no_bound():
    with pytest.raises(ValueError, match="flash_attention requires"):
        MultiHeadAttention(3, 5, score=SoftCappedDot(1.7), flash_attention=True)
