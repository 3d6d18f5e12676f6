"""Learned weights of losses: the formula, its gradients, and a model that learns them."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import zoo
from zoo.training.task_weights import LearnedWeightLoss
from zoo.training.values import MaskedValueLoss

RNG = np.random.default_rng(3)


def expected(loss, log_variance, precision, scale=1.0):
    """Kendall et al. 2018, equations 7 and 10, in float64."""
    sigma = np.exp(log_variance / 2)
    return precision * scale * loss / sigma**2 + np.log(sigma)


@pytest.mark.parametrize(("precision", "scale"), [(0.5, 1.0), (1.0, 3.0)])
def test_the_loss_and_its_gradients(precision, scale):
    """Those of finite differences of the formula, of outputs and of log variances."""
    targets = RNG.normal(size=(5, 2)).astype("float32")
    targets[3] = np.nan  # a row of padding
    outputs, variances = tf.Variable(RNG.normal(size=(5, 2)), dtype="float32"), [0.7, -1.3, 0.2]
    variable = keras.Variable(variances)
    loss = LearnedWeightLoss(MaskedValueLoss("mse"), variable, 1, precision, np.nan, scale)
    with tf.GradientTape() as tape:
        actual = loss(targets, outputs)
    by_outputs, by_variances = tape.gradient(actual, [outputs, variable.value])

    def oracle(outputs, variances):
        error = np.nanmean((targets.astype("float64") - outputs) ** 2)
        return expected(error, variances[1], precision, scale)

    at = outputs.numpy().astype("float64")
    np.testing.assert_allclose(actual, oracle(at, variances), rtol=1e-5)
    for index in np.ndindex(5, 2):
        step = np.zeros((5, 2))
        step[index] = 1e-5
        slope = (oracle(at + step, variances) - oracle(at - step, variances)) / 2e-5
        np.testing.assert_allclose(by_outputs[index], slope, rtol=1e-4, atol=1e-6)
    by_variances = tf.convert_to_tensor(by_variances)
    for index in range(3):
        step = np.eye(3)[index] * 1e-5
        slope = (oracle(at, variances + step) - oracle(at, variances - step)) / 2e-5
        np.testing.assert_allclose(by_variances[index], slope, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("targets", "missing"), [([[np.nan], [np.nan]], np.nan), ([[-1], [-1]], -1)]
)
def test_batches_of_other_tasks_change_nothing(targets, missing):
    variable = keras.Variable([2.0])
    loss = LearnedWeightLoss(MaskedValueLoss("mse"), variable, 0, 1.0, missing)
    with tf.GradientTape() as tape:
        actual = loss(np.array(targets, "float32"), tf.zeros((2, 1)))
    assert float(actual) == 0.0
    np.testing.assert_array_equal(
        tf.convert_to_tensor(tape.gradient(actual, variable.value)), [0.0]
    )


def test_values_of_minus_one_are_values():
    loss = LearnedWeightLoss(MaskedValueLoss("mse"), keras.Variable([0.0]), 0, 0.5, np.nan)
    assert float(loss([[-1.0], [-1.0]], [[0.0], [0.0]])) == pytest.approx(0.5)


def test_the_variance_of_squared_errors_is_learned():
    """At its optimum, sigma^2 is the mean squared error: the derivative is 0 there."""
    targets, outputs = RNG.normal(size=(64, 1)).astype("float32"), np.zeros((64, 1), "float32")
    variable = keras.Variable([np.log(np.mean(targets**2))])
    loss = LearnedWeightLoss(MaskedValueLoss("mse"), variable, 0, 0.5, np.nan)
    with tf.GradientTape() as tape:
        actual = loss(targets, outputs)
    slope = tf.convert_to_tensor(tape.gradient(actual, variable.value))
    np.testing.assert_allclose(slope, [0.0], atol=1e-5)


@pytest.mark.thorough
def test_a_model_learns_them_and_the_log_shows_them(tmp_path):
    noisy = [(f"w{i}", float(x)) for i, x in enumerate(RNG.normal(size=40))]
    data = {"easy": [("a", "x"), ("b", "y")] * 20, "noisy": noisy}
    sizes = {"hidden_dim": 8, "num_heads": 2, "intermediate_dim": 8, "num_layers": 1}
    task = zoo.MultiTask(learn_weights=True, max_length=7, **sizes)
    fit = {"epochs": 60, "learning_rate": 0.01, "batch_tokens": 60, "xla": False}
    history = task.fit(data, folder=tmp_path / "run", verbose=False, **fit)
    weights = [history.history[f"{name}_weight"] for name in data]
    variances = keras.ops.convert_to_numpy(task.model.log_variance)
    assert weights[0][-1] == pytest.approx(np.exp(-variances[0]), rel=1e-5)
    assert weights[1][-1] == pytest.approx(0.5 * np.exp(-variances[1]), rel=1e-5)
    assert weights[0][-1] > 1.1  # the loss of the easy task becomes small, and its weight large
    assert "easy_weight" in (tmp_path / "run" / "history.csv").read_text()
    assert "noisy_weight" in (tmp_path / "run" / "log.txt").read_text()
    task.save(tmp_path / "run")
    again = zoo.load(tmp_path / "run")
    np.testing.assert_array_equal(again.model.log_variance, variances)
    assert (
        again.single_task("easy").predict(["a", "b"]) == task.predict({"easy": ["a", "b"]})["easy"]
    )
    more = zoo.load(tmp_path / "run")
    more.fit(data, folder=tmp_path / "run", resume=True, verbose=False, **{**fit, "epochs": 61})
    assert (np.asarray(more.model.log_variance) != variances).all()
