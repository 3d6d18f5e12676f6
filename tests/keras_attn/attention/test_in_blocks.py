"""Long inputs are attended to in blocks, with the numbers of the plain form."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_attn import AlibiBias, MultiHeadAttention, RotaryPositions, ShawPositions
from keras_attn.attention import blockwise, multi_head
from tests.gradients import value_and_gradient

B, T, D = 2, 131, 7
X = np.random.default_rng(0).normal(size=(B, T, D)).astype("float32")
KEEP = np.random.default_rng(1).random((B, T)) < 0.7

OPTIONS = {
    "plain": {},
    "dot": {"score": "dot"},
    "grouped": {"num_heads": 4, "num_key_value_heads": 2},
    "rotary": {"position": "rotary", "key_dim": 4},
    "concat": {"aggregate": "concat"},
    "mean": {"aggregate": "mean"},
}
MASKS = {
    "none": {},
    "causal": {"use_causal_mask": True},
    "by position": {"query_mask": KEEP, "value_mask": ~KEEP, "use_causal_mask": True},
    "by pair": {"attention_mask": np.tril(np.ones((1, T, T), bool), 5), "key_mask": KEEP},
}


def make(**options):
    layer = MultiHeadAttention(**{"num_heads": 2, "key_dim": 3, **options})
    layer(X, X)
    return layer


@pytest.fixture
def always(monkeypatch):
    monkeypatch.setattr(blockwise, "PAYS_FROM", 1)


@pytest.mark.parametrize("masks", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_the_numbers_are_those_of_the_plain_form(options, masks, always):
    layer = make(**options)
    masks = {name: ops.convert_to_tensor(m) for name, m in masks.items()}
    expected, _ = layer(X, X, return_attention_scores=True, **masks)
    np.testing.assert_allclose(layer(X, X, **masks), expected, atol=1e-5)


def test_the_gradients_too(monkeypatch):
    layer = make()

    def actual():
        return value_and_gradient(lambda x: ops.sum(layer(x, x, use_causal_mask=True) ** 2), X)[1]

    expected = actual()
    monkeypatch.setattr(blockwise, "PAYS_FROM", 1)
    np.testing.assert_allclose(actual(), expected, atol=1e-4)


LONG = keras.KerasTensor((1, 4096, D))


@pytest.mark.parametrize(
    ("options", "query", "training", "pays"),
    [
        ({}, LONG, True, True),
        ({"position": RotaryPositions(), "key_dim": 4}, LONG, True, True),
        ({"dropout": 0.1}, LONG, False, True),
        ({"dropout": 0.1}, LONG, True, False),
        ({"position": AlibiBias()}, LONG, False, False),
        ({"position": ShawPositions(3)}, LONG, False, False),
        ({"score": "additive"}, LONG, False, False),
        ({"normalizer": "sparsemax"}, LONG, False, False),
        ({}, keras.KerasTensor((1, 512, D)), False, False),
        ({}, keras.KerasTensor((1, None, D)), False, False),
    ],
)
def test_when_it_pays(monkeypatch, options, query, training, pays):
    asked = []
    monkeypatch.setattr(multi_head, "attend_in_blocks", lambda q, *_: asked.append(True) or q)
    layer = make(**options)
    keras.Operation.compute_output_spec(layer, query, query, training=training)  # traces `call`
    assert bool(asked) is pays
