import keras
import numpy as np
import pytest
from keras import ops

from keras_attn.losses import MaskedLMLoss, NextSentenceLoss
from tests.oracles import losses as oracle

B, T, V = 3, 5, 11


def tokens():
    """Labels of the chosen positions, among them a 0; -100 elsewhere."""
    random = np.random.default_rng(0)
    labels = np.full((B, T), -100)
    labels[0, 1], labels[0, 3], labels[2, 2] = 4, 0, 10
    return labels, 3 * random.standard_normal((B, T, V)).astype("float32")


def pairs():
    random = np.random.default_rng(1)
    return np.array([0, 1, 1]), 3 * random.standard_normal((B, 2)).astype("float32")


def test_only_chosen_positions_count():
    labels, logits = tokens()
    loss = MaskedLMLoss()
    expected = oracle.masked_crossentropy(labels, logits, ignore_id=-100)
    np.testing.assert_allclose(float(loss(labels, logits)), expected, rtol=1e-6)
    logits[labels == -100] *= -7
    np.testing.assert_allclose(float(loss(labels, logits)), expected, rtol=1e-6)
    assert float(loss(np.full((B, T), -100), logits)) == 0.0


def test_positions_alone():
    labels, logits = tokens()
    chosen = labels != -100
    alone = MaskedLMLoss()(labels[chosen][None], logits[chosen][None])
    np.testing.assert_allclose(float(alone), float(MaskedLMLoss()(labels, logits)), rtol=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", [(B,), (B, 1)])
def test_next_sentence(shape, weighted):
    labels, logits = pairs()
    weights = np.array([0.5, 2.0, 0.0], "float32") if weighted else None
    exact = oracle.token_crossentropy(labels, logits)
    actual = NextSentenceLoss()(labels.reshape(shape), logits, weights)
    np.testing.assert_allclose(float(actual), np.average(exact, weights=weights), rtol=1e-6)


@pytest.mark.thorough
def test_both_in_a_compiled_model():
    inputs = keras.Input((T,), dtype="int32", name="token_ids")
    sequence = keras.layers.Embedding(V, 7, mask_zero=True)(inputs)
    outputs = {
        "mlm_logits": keras.layers.Dense(V)(sequence),
        "nsp_logits": keras.layers.Dense(2)(keras.layers.GlobalAveragePooling1D()(sequence)),
    }
    model = keras.Model(inputs, outputs)
    losses = {"mlm_logits": MaskedLMLoss(), "nsp_logits": NextSentenceLoss()}
    model.compile(keras.optimizers.Adam(0.1), losses, jit_compile=True)
    token_ids = np.random.default_rng(2).integers(1, V, (B, T))
    labels = {"mlm_logits": tokens()[0], "nsp_logits": pairs()[0]}
    actual = model.predict(token_ids, verbose=0)
    expected = oracle.masked_crossentropy(
        labels["mlm_logits"], actual["mlm_logits"], ignore_id=-100
    ) + np.mean(oracle.token_crossentropy(labels["nsp_logits"], actual["nsp_logits"]))
    before = model.evaluate(token_ids, labels, verbose=0, return_dict=True)["loss"]
    np.testing.assert_allclose(before, expected, rtol=1e-5)
    history = model.fit(token_ids, labels, epochs=15, verbose=0).history["loss"]
    assert history[-1] < 0.3 * before


@pytest.mark.parametrize(
    ("loss", "config"),
    [
        (MaskedLMLoss(ignore_id=-1, name="mlm"), {"name": "mlm", "ignore_id": -1}),
        (NextSentenceLoss(name="nsp"), {"name": "nsp"}),
    ],
)
def test_config_round_trip(loss, config):
    again = keras.losses.deserialize(keras.losses.serialize(loss))
    assert type(again) is type(loss)
    assert again.get_config() == config


def test_next_sentence_wants_two_classes():
    with pytest.raises(ValueError, match=r"logits must have the shape \(B, 2\); received \(3, 5\)"):
        NextSentenceLoss()(np.zeros(3), ops.zeros((3, 5)))
