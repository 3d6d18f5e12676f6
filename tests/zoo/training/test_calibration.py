"""The temperature that fits the scores of a classifier to validation data."""

import json

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

import zoo
from tests.zoo.tasks.stand_in import StandIn
from tests.zoo.tasks.test_text_classifier import LABELS, ROWS, TEXTS
from zoo.errors import UserError
from zoo.heads.label import LabelHead
from zoo.training.calibration import HIGHEST, LOWEST, calibration_of
from zoo.training.score_scaling import CALIBRATION


def log_loss(logits, labels):
    return -log_softmax(logits, axis=1)[np.arange(len(labels)), labels].mean()


@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
def test_the_temperature_has_the_least_loss_of_smoothed_labels(scale):
    rng = np.random.default_rng(7)
    truth = rng.normal(size=(53, 4)) * 2
    labels = np.array([rng.choice(4, p=np.exp(log_softmax(row))) for row in truth])
    share = 2 / 55
    wanted = (1 - share) * np.eye(4)[labels] + share / 4

    def smoothed(exponent):
        return -(wanted * log_softmax(scale * truth / np.exp(exponent), axis=1)).sum(1).mean()

    expected = np.exp(minimize_scalar(smoothed, bounds=(-3, 3), method="bounded").x)
    actual = calibration_of(scale * truth, labels)
    assert actual.temperature == pytest.approx(expected, rel=1e-3)
    assert actual.before == pytest.approx(log_loss(scale * truth, labels))
    assert actual.after == pytest.approx(log_loss(scale * truth / actual.temperature, labels))


def test_a_few_rows_that_are_all_correct_do_not_make_a_model_certain():
    logits = np.array([[0.5, 0.0], [0.0, 0.5]])
    scores = np.exp(log_softmax(logits / calibration_of(logits, np.array([0, 1])).temperature, 1))
    np.testing.assert_allclose(scores[0, 0], 3 / 4, rtol=1e-6)  # (N + 1) / (N + 2)


def test_the_loss_of_the_validation_data_never_rises():
    """Rows that are all correct, and known to be so, would else be made less certain."""
    labels = np.arange(20) % 3
    correct = 9.0 * np.eye(3)[labels]
    fitted = calibration_of(correct, labels)
    assert fitted.temperature == 1 and fitted.after == fitted.before < 0.001
    rng = np.random.default_rng(11)
    for scale in (0.1, 0.5, 1.0, 2.0, 5.0, 11.0):
        for rows in (3, 17, 101):
            labels = rng.integers(4, size=rows)
            logits = scale * (rng.normal(size=(rows, 4)) + 2 * np.eye(4)[labels])
            weights = rng.uniform(0.1, 2.0, rows)
            fitted = calibration_of(logits, labels, weights)
            assert fitted.after <= fitted.before
            own = log_softmax(logits / fitted.temperature, axis=1)[np.arange(rows), labels]
            assert fitted.after == pytest.approx(-np.average(own, weights=weights))


def test_where_smoothing_goes_too_far_the_loss_is_that_of_the_labels():
    """One of 20 rows is wrong; a temperature for smoothed labels would raise the loss."""
    labels = np.zeros(20, int)
    logits = np.array([[3.4, 0.0]] * 19 + [[0.0, 3.4]])
    fitted = calibration_of(logits, labels)
    best = minimize_scalar(
        lambda t: log_loss(logits / t, labels), bounds=(0.1, 9), method="bounded"
    )
    assert best.x > 1.1 and fitted.temperature == pytest.approx(best.x, rel=1e-3)


def test_the_temperature_is_bounded():
    wrong = np.array([[9.0, 0.0]] * 400)
    assert calibration_of(wrong, np.ones(400, int)).temperature == pytest.approx(HIGHEST)
    assert calibration_of(wrong * 1e-9, np.zeros(400, int)).temperature == pytest.approx(LOWEST)


def test_scores_are_those_of_divided_logits():
    logits = np.array([[1.0, 3.0, 2.0]], "float32")
    scores = np.asarray(LabelHead(["a", "b", "c"], temperature=2.5).outputs(logits)["scores"])
    np.testing.assert_allclose(scores, np.exp(log_softmax(logits / 2.5, axis=1)), rtol=1e-5)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Every second label of the validation data is another: no model may be certain."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    task = zoo.TextClassifier(num_buckets=101)
    task.adapt(ROWS)
    turned = {"good": "bad", "bad": "odd", "odd": "good"}
    held_out = [(text, turned[y] if i % 2 else y) for i, (text, y) in enumerate(ROWS)]
    task.fit(ROWS, held_out, epochs=4, folder=folder, xla=False, verbose=False)
    return task, folder, held_out


def test_training_calibrates_what_it_saves(trained):
    task, folder, held_out = trained
    assert task.scaling.temperature > 1.5
    probabilities = task.predict_proba(TEXTS)
    again = zoo.load(folder)
    assert again.scaling.temperature == task.scaling.temperature
    np.testing.assert_allclose(again.predict_proba(TEXTS), probabilities, rtol=1e-6)
    assert "temperature" in (folder / "log.txt").read_text()

    right = np.array([task.labels.index(label) for _, label in held_out])
    raw = np.log(probabilities) * task.scaling.temperature
    after, before = log_loss(raw / task.scaling.temperature, right), log_loss(raw, right)
    assert after < before
    expected = calibration_of(raw, right)
    assert task.scaling.temperature == pytest.approx(expected.temperature, rel=1e-4)


def test_artifacts_have_the_same_scores(trained):
    task, _, _ = trained
    features = {"token_ids": np.asarray(task.preprocessor(text=list(TEXTS[:5]))["token_ids"])}
    scores = StandIn(task).run("serving_default", features)["scores"]
    np.testing.assert_allclose(scores, task.predict_proba(TEXTS[:5]), rtol=1e-5)


def test_training_on_without_validation_data_forgets_the_temperature(trained):
    task, folder, _ = trained
    again = zoo.load(folder)
    again.fit(ROWS, epochs=1, xla=False, verbose=False)
    assert again.scaling.temperature == 1.0


def test_a_damaged_temperature_is_named(trained, tmp_path):
    task, _, _ = trained
    task.save(tmp_path / "copy")
    (tmp_path / "copy" / CALIBRATION).write_text(json.dumps({"temperature": -1}))
    with pytest.raises(UserError, match=f"{CALIBRATION} is damaged"):
        zoo.load(tmp_path / "copy", check_digests=False)
    (tmp_path / "copy" / CALIBRATION).unlink()
    with pytest.raises(UserError, match=f"{CALIBRATION} is missing"):
        zoo.load(tmp_path / "copy")


def test_labels_are_ordered_as_before(trained):
    task, _, _ = trained
    assert {*task.predict(TEXTS)} <= {*LABELS}
