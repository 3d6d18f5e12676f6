"""Linear baselines on vectors equal those of scikit-learn, and are kept with a run."""

import numpy as np
import pytest

from tests.scores import score_columns
from zoo.errors import UserError
from zoo.tasks.baselines.linear_vectors import PENALTIES, RIDGE, Scaled, ridge
from zoo.tasks.baselines.saved_arrays import FILE
from zoo.tasks.baselines.values import ValueBaseline


def noisy(count, width, noise, seed=5):
    random = np.random.default_rng(seed)
    x = random.normal(size=(count, width)) * random.uniform(0.5, 9, width) + 3
    w = random.normal(size=(width, 2))
    return x, x @ w + noise * random.normal(size=(count, 2)) + [7, -100]


@pytest.mark.parametrize(("count", "width", "noise"), [(67, 5, 0.1), (67, 5, 90), (23, 41, 3)])
def test_ridge_is_that_of_scikit_learn(count, width, noise):
    linear = pytest.importorskip("sklearn.linear_model")
    x, y = noisy(count, width, noise)
    x = Scaled.of(x).features(x)
    expected = linear.RidgeCV(PENALTIES, alpha_per_target=True).fit(x, y)
    coefficients, intercepts = ridge(x, y)
    np.testing.assert_allclose(coefficients, expected.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(intercepts, expected.intercept_, rtol=1e-9)


def test_ridge_of_constant_features_is_the_mean():
    coefficients, intercepts = ridge(np.zeros((4, 3)), np.array([[1.0], [2.0], [3.0], [6.0]]))
    assert not coefficients.any() and intercepts.tolist() == [3.0]


def test_what_was_learned_is_kept(tmp_path):
    x, y = noisy(67, 5, 1)
    actual = ValueBaseline.fit(RIDGE, x, y)
    actual.save(tmp_path)
    again = ValueBaseline.load(RIDGE, tmp_path)
    predictions = actual.predict(x)
    for name, own in again.predict(x).items():
        np.testing.assert_array_equal(own, predictions[name])
    r2 = {name: score_columns(y, own, ["a", "b"])["r2"] for name, own in predictions.items()}
    assert r2["ridge"] > 0.9 > 0.1 > r2["mean"]
    arrays = dict(np.load(tmp_path / FILE))
    np.savez(tmp_path / FILE, **{**arrays, "mean": arrays["mean"][:-1]})
    with pytest.raises(UserError, match="baseline.npz is damaged"):
        ValueBaseline.load(RIDGE, tmp_path)
