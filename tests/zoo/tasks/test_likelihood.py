"""Loss, perplexity and accuracy of predicted tokens, against NumPy float64."""

import numpy as np
import pytest
from keras import ops

from zoo.tasks.likelihood import Likelihood, token_scores

ROWS, LENGTH, VOCABULARY = 3, 7, 11
RNG = np.random.default_rng(3)
LOGITS = RNG.normal(size=(ROWS, LENGTH, VOCABULARY))
COUNTED = np.arange(LENGTH) < np.array([[7], [4], [0]])
LABELS = np.where(COUNTED, RNG.integers(0, VOCABULARY, (ROWS, LENGTH)), -1).astype("int32")
LOG_P = LOGITS - np.log(np.exp(LOGITS).sum(-1, keepdims=True))


def test_scores_are_those_of_a_softmax():
    """Also where labels are -1; nothing is read there."""
    actual = token_scores(ops.convert_to_tensor(LOGITS, "float32"), LABELS, COUNTED)
    log_p, best = (
        ops.convert_to_numpy(actual[key]) for key in ("log_probabilities", "predicted_ids")
    )
    expected = np.take_along_axis(LOG_P, np.maximum(LABELS, 0)[..., None], -1)[..., 0]
    np.testing.assert_allclose(log_p, np.where(COUNTED, expected, 0), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(best, LOGITS.argmax(-1))
    assert log_p.dtype == np.float32 and best.dtype == np.int32


def test_float16_logits_are_scored_in_float32():
    logits = ops.convert_to_tensor(30 * LOGITS, "float16")
    actual = token_scores(logits, np.maximum(LABELS, 0), COUNTED)["log_probabilities"]
    exact = ops.convert_to_numpy(logits).astype("float64")
    exact -= exact.max(-1, keepdims=True)
    exact -= np.log(np.exp(exact).sum(-1, keepdims=True))
    expected = np.take_along_axis(exact, np.maximum(LABELS, 0)[..., None], -1)[..., 0]
    np.testing.assert_allclose(
        ops.convert_to_numpy(actual), np.where(COUNTED, expected, 0), rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_batches_add_up_to_the_whole(batch):
    log_p = np.take_along_axis(LOG_P, np.maximum(LABELS, 0)[..., None], -1)[..., 0]
    best = LOGITS.argmax(-1)
    actual = Likelihood()
    for start in range(0, ROWS, batch):
        rows = slice(start, start + batch)
        actual.add(log_p[rows], best[rows], LABELS[rows], COUNTED[rows])
    assert actual.tokens == 11
    loss = -log_p[COUNTED].mean()
    np.testing.assert_allclose(actual.loss, loss, rtol=1e-12)
    np.testing.assert_allclose(actual.perplexity, np.exp(loss), rtol=1e-12)
    np.testing.assert_allclose(actual.accuracy, (best == LABELS)[COUNTED].mean(), rtol=1e-12)


def test_one_flag_counts_all_tokens():
    actual = Likelihood()
    actual.add(np.log([[0.5, 0.25]]), np.array([[7, 8]]), np.array([[7, 9]]), True)
    actual.add(np.log([[0.5]]), np.array([[7]]), np.array([[7]]), False)
    assert (actual.tokens, actual.accuracy) == (2, 0.5)
    np.testing.assert_allclose(actual.perplexity, 8**0.5)


def test_nothing_counted_and_a_loss_without_bound_stay_finite():
    nothing = Likelihood()
    assert (nothing.loss, nothing.perplexity, nothing.accuracy) == (0.0, 1.0, 0.0)
    nothing.add(np.array([[-1e9]]), np.array([[1]]), np.array([[2]]), True)
    assert nothing.loss == 1e9 and np.isfinite(nothing.perplexity)
