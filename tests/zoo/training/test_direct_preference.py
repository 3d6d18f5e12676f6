"""The loss of pairs of answers, beside NumPy in float64."""

import keras
import numpy as np
import pytest
from keras import ops

from zoo.training.direct_preference import (
    DirectPreference,
    RewardAccuracy,
    RewardMargin,
    rewards,
)

PAIRS, LENGTH, WORDS, BETA, PAD = 5, 7, 11, 0.3, -1


def case():
    """Logits, tokens of answers of different lengths, and the log-probabilities of a reference."""
    rng = np.random.default_rng(3)
    logits = rng.normal(size=(2 * PAIRS, LENGTH, WORDS)) * 2
    tokens = rng.integers(0, WORDS, (2 * PAIRS, LENGTH))
    begins, ends = rng.integers(0, 3, 2 * PAIRS), rng.integers(4, LENGTH + 1, 2 * PAIRS)
    places = np.arange(LENGTH)
    inside = (places >= begins[:, None]) & (places < ends[:, None])
    return logits, np.where(inside, tokens, PAD), rng.normal(size=2 * PAIRS) * 5 - 9


def oracle(logits, tokens, reference, beta=BETA):
    """The loss, the margins, and the gradient of the loss by the logits."""
    log_p = logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)
    inside = tokens != PAD
    of = np.take_along_axis(log_p, np.where(inside, tokens, 0)[..., None], -1)[..., 0]
    reward = beta * ((of * inside).sum(1) - reference)
    margins = reward[::2] - reward[1::2]
    loss = np.logaddexp(0, -margins).mean()
    slope = -beta / (1 + np.exp(margins)) / len(margins)  # of the loss by the log-probability
    signed = np.stack([slope, -slope], 1).reshape(-1)[:, None, None] * inside[..., None]
    one_hot = np.eye(logits.shape[-1])[np.where(inside, tokens, 0)]
    return loss, margins, signed * (one_hot - np.exp(log_p))


def labels_of(tokens, reference):
    return ops.convert_to_tensor(
        np.concatenate([reference[:, None], tokens], axis=1).astype("float32")
    )


def test_loss_gradient_and_measures_are_those_of_the_paper():
    logits, tokens, reference = case()
    loss, margins, gradient = oracle(logits, tokens, reference)
    assert 0 < (margins > 0).mean() < 1
    labels = labels_of(tokens, reference)
    objective = DirectPreference(BETA, PAD)
    actual = objective(labels, ops.convert_to_tensor(logits.astype("float32")))
    assert float(actual) == pytest.approx(loss, rel=1e-5)
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        given = tf.Variable(logits.astype("float32"))
        with tf.GradientTape() as tape:
            value = objective(labels, tf.convert_to_tensor(given))
        np.testing.assert_allclose(tape.gradient(value, given), gradient, atol=1e-6)
    for kind, expected in ((RewardAccuracy, (margins > 0).mean()), (RewardMargin, margins.mean())):
        metric = kind(BETA, PAD)
        for part in (slice(0, 4), slice(4, None)):  # whole pairs
            metric.update_state(labels[part], ops.convert_to_tensor(logits[part], "float32"))
        assert float(metric.result()) == pytest.approx(expected, rel=1e-5)
        again = kind.from_config(metric.get_config())
        assert (again.beta, again.ignore_id, again.name) == (BETA, PAD, metric.name)
    assert DirectPreference.from_config(objective.get_config()).beta == BETA


def test_pairs_of_padding_count_for_nothing():
    logits, tokens, reference = case()
    loss, margins, _ = oracle(logits, tokens, reference)
    more = [np.concatenate([x, x[:2]]) for x in (logits, tokens, reference)]
    more[1][-2:], more[2][-2:] = PAD, 0
    labels, given = labels_of(more[1], more[2]), ops.convert_to_tensor(more[0], "float32")
    assert float(DirectPreference(BETA, PAD)(labels, given)) == pytest.approx(loss, rel=1e-5)
    metric = RewardMargin(BETA, PAD)
    metric.update_state(labels, given)
    assert float(metric.result()) == pytest.approx(margins.mean(), rel=1e-5)
    assert ops.convert_to_numpy(rewards(labels, given, BETA, PAD)[1]).tolist() == [1] * 5 + [0]


def test_at_the_reference_nothing_is_preferred():
    logits, tokens, _ = case()
    _, _, _ = oracle(logits, tokens, np.zeros(2 * PAIRS))
    log_p = logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)
    of = np.take_along_axis(log_p, np.maximum(tokens, 0)[..., None], -1)[..., 0]
    labels = labels_of(tokens, (of * (tokens != PAD)).sum(1))
    given = ops.convert_to_tensor(logits.astype("float32"))
    assert float(DirectPreference(BETA, PAD)(labels, given)) == pytest.approx(np.log(2), rel=1e-5)
