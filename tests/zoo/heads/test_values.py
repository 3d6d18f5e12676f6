"""Values as answers: units, losses and metrics, against other people's implementations."""

import numpy as np
import pytest
from keras import ops

from tests.scores import score_columns, score_values
from zoo.heads.values import ValuesHead
from zoo.training.values import MaskedR2, MaskedValueLoss

RANDOM = np.random.default_rng(3)
VALUES = RANDOM.normal(50, 7, size=(41, 2))
PREDICTED = VALUES + RANDOM.normal(0, 4, size=VALUES.shape)
HEAD = ValuesHead(["price", "stars"], [50.0, -3.0], [7.0, 0.5])


def test_the_graph_undoes_what_is_learned():
    learned = HEAD.standardized(VALUES)
    assert learned.dtype == np.float32
    np.testing.assert_allclose(learned, (VALUES - [50, -3]) / [7, 0.5], rtol=1e-6)
    actual = ops.convert_to_numpy(HEAD.outputs(ops.convert_to_tensor(learned))["values"])
    np.testing.assert_allclose(actual, VALUES, rtol=1e-6)


def test_large_values_are_learned_in_full_precision():
    head = ValuesHead(["year"], [1e9], [2.0])
    assert head.standardized([(1e9 + 3,), (1e9 - 1,)]).tolist() == [[1.5], [-0.5]]


def test_an_answer_is_a_number_or_has_names():
    assert HEAD.result({"values": np.array([2.0, 4.0])}) == {"price": 2.0, "stars": 4.0}
    assert HEAD.text({"price": 2.0, "stars": 4.25}) == "price 2, stars 4.25"
    single = ValuesHead(["stars"], [0.0], [1.0])
    assert single.result({"values": np.array([4.0])}) == 4.0
    assert single.text(4.0) == "4"


@pytest.mark.parametrize("kind", ["mse", "mae", "huber"])
def test_losses_are_means_over_known_rows(kind):
    values, predicted = HEAD.standardized(VALUES), HEAD.standardized(PREDICTED)
    size = np.abs(values.astype("float64") - predicted)
    each = {"mse": size**2, "mae": size, "huber": np.where(size <= 1, size**2 / 2, size - 0.5)}
    padded = np.concatenate([values, np.full((3, 2), np.nan, "float32")])
    more = np.concatenate([predicted, np.full((3, 2), 9, "float32")])
    assert float(MaskedValueLoss(kind)(padded, more)) == pytest.approx(each[kind].mean(), rel=1e-5)
    assert float(MaskedValueLoss(kind)(padded[-3:], more[-3:])) == 0


def test_a_loss_must_be_known():
    with pytest.raises(ValueError, match="`kind` must be one of mse, mae, huber, got 'l1'"):
        MaskedValueLoss("l1")


def test_padding_has_no_gradient():
    import tensorflow as tf

    predicted = tf.Variable([[2.0], [5.0]])
    with tf.GradientTape() as tape:
        loss = MaskedValueLoss("mse")(tf.constant([[1.0], [np.nan]]), predicted)
    np.testing.assert_allclose(tape.gradient(loss, predicted), [[2.0], [0.0]])


def test_r2_of_batches_is_that_of_all_rows():
    metrics = pytest.importorskip("sklearn.metrics")
    values, predicted = HEAD.standardized(VALUES), HEAD.standardized(PREDICTED)
    metric = MaskedR2(2)
    for rows in (slice(0, 7), slice(7, 30), slice(30, 41)):
        padded = np.concatenate([values[rows], np.full((2, 2), np.nan, "float32")])
        metric.update_state(padded, np.concatenate([predicted[rows], np.ones((2, 2), "float32")]))
    expected = metrics.r2_score(values.astype("float64"), predicted.astype("float64"))
    assert float(metric.result()) == pytest.approx(expected, rel=1e-4)
    metric.reset_state()
    metric.update_state(np.ones((3, 2)), np.zeros((3, 2)))
    assert float(metric.result()) == 0


def test_scores_are_those_of_scikit_learn_and_scipy():
    metrics, stats = pytest.importorskip("sklearn.metrics"), pytest.importorskip("scipy.stats")
    y, p = np.round(VALUES[:, 0] / 5), np.round(PREDICTED[:, 0] / 5)  # with ties
    actual = score_values(y, p)
    expected = {
        "r2": metrics.r2_score(y, p),
        "spearman": stats.spearmanr(y, p).statistic,
        "pearson": stats.pearsonr(y, p).statistic,
        "mae": metrics.mean_absolute_error(y, p),
        "rmse": metrics.root_mean_squared_error(y, p),
    }
    assert actual == pytest.approx(expected, rel=1e-9)


def test_scores_of_several_values_have_their_names():
    actual = score_columns(VALUES, PREDICTED, ["price", "stars"])
    own = [score_values(VALUES[:, i], PREDICTED[:, i]) for i in (0, 1)]
    assert actual["r2"] == pytest.approx((own[0]["r2"] + own[1]["r2"]) / 2)
    assert actual["stars_mae"] == own[1]["mae"] and "price_spearman" in actual
    assert list(actual)[0] == "r2"


def test_equal_references_have_no_r2():
    actual = score_values(np.ones(4), np.arange(4.0))
    assert actual["r2"] == actual["pearson"] == 0 and np.isfinite(list(actual.values())).all()
