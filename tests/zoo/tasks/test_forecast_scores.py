"""Scores and baselines of forecasts, beside NumPy and scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from tests.scores import score_forecasts
from zoo.data.series.windows import center_and_scale
from zoo.errors import UserError
from zoo.metrics.forecasts import seasonal_error
from zoo.tasks.baselines.forecasts import ForecastBaselines, seasonal_naive

LEVELS = [0.1, 0.5, 0.9]


def test_scores():
    rng = np.random.default_rng(3)
    true, actual = rng.normal(size=(5, 7, 2)), np.sort(rng.normal(size=(5, 7, 2, 3)), axis=-1)
    true[rng.random(true.shape) < 0.2] = np.nan
    errors = rng.uniform(1, 2, (5, 2))
    errors[3, 1] = np.nan
    absolute, pinball, scaled, inside = [], [], [], []
    for n, h, c in np.argwhere(~np.isnan(true)):
        y, f = true[n, h, c], actual[n, h, c]
        absolute.append(abs(y - f[1]))
        pinball += [2 * max(q * (y - x), (q - 1) * (y - x)) for q, x in zip(LEVELS, f, strict=True)]
        scaled += [] if np.isnan(errors[n, c]) else [abs(y - f[1]) / errors[n, c]]
        inside.append(f[0] <= y <= f[2])
    expected = {"mae": absolute, "crps": pinball, "mase": scaled, "coverage": inside}
    scores = score_forecasts(true, actual, LEVELS, errors)
    assert scores == pytest.approx({name: np.mean(each) for name, each in expected.items()})
    without = score_forecasts(true, actual[..., 1:2], [0.5], np.full((5, 2), np.nan))
    assert set(without) == {"mae", "crps"}
    assert without["crps"] == pytest.approx(without["mae"])  # of a point, CRPS is the error


def test_crps_is_that_of_the_distribution():
    """Of many quantiles, the mean of pinball losses is the CRPS of a normal distribution."""
    from scipy.stats import norm

    levels = (np.arange(499) + 0.5) / 499
    forecast = norm.ppf(levels)[None, None, None]
    y = 0.7
    exact = y * (2 * norm.cdf(y) - 1) + 2 * norm.pdf(y) - 1 / np.sqrt(np.pi)
    actual = score_forecasts(np.full((1, 1, 1), y), forecast, levels, np.ones((1, 1)))
    assert actual["crps"] == pytest.approx(exact, rel=1e-3)


def test_seasonal_error():
    values = np.array([[1.0, 5], [2, 5], [np.nan, 5], [4, 5], [8, 5]])
    np.testing.assert_array_equal(seasonal_error(values, 2), [2, np.nan])  # |4 - 2|
    np.testing.assert_allclose(seasonal_error(values, 7), [2.5, np.nan])  # (1 + 4) / 2
    assert np.isnan(seasonal_error(values[:1], 7)).all()


def test_seasonal_naive():
    x = np.arange(1.0, 8).reshape(1, 7, 1)
    assert seasonal_naive(x, 3, 5).ravel().tolist() == [5, 6, 7, 5, 6]
    assert seasonal_naive(x, 1, 2).ravel().tolist() == [7, 7]
    assert seasonal_naive(x, 9, 3).ravel().tolist() == [7, 7, 1]  # two have no season before
    x[0, 5] = np.nan
    assert seasonal_naive(x, 3, 3).ravel().tolist() == [5, 3, 7]  # the season before
    assert seasonal_naive(np.full((1, 3, 1), np.nan), 2, 2).ravel().tolist() == [0, 0]


def fitted(missing=0.0):
    rng = np.random.default_rng(5)
    contexts, labels = rng.normal(50, 9, (97, 7, 2)), rng.normal(size=(97, 3, 2))
    contexts[rng.random(contexts.shape) < missing] = np.nan
    return contexts, labels, ForecastBaselines.fit(contexts, labels, 2, LEVELS)


def test_the_linear_baseline_is_ridge_regression():
    contexts, labels, actual = fitted(missing=0.1)
    center, scale = center_and_scale(contexts)
    x = np.nan_to_num((contexts - center) / scale).transpose(0, 2, 1).reshape(-1, 7)
    y = labels.transpose(0, 2, 1).reshape(-1, 3)
    theirs = Ridge(alpha=1.0).fit(x, y)
    errors = y - theirs.predict(x)
    expected = (
        theirs.predict(x).reshape(97, 2, 3).transpose(0, 2, 1)[..., None]
        + np.quantile(errors, LEVELS, axis=0).T[:, None]
    )
    expected = center[..., None] + scale[..., None] * expected
    np.testing.assert_allclose(actual.forecast(contexts)["linear"], expected, rtol=1e-6)


def test_a_file_of_baselines(tmp_path):
    contexts, _, actual = fitted()
    assert ForecastBaselines.load(tmp_path) is None
    actual.save(tmp_path)
    again = ForecastBaselines.load(tmp_path).forecast(contexts)
    for name, forecast in actual.forecast(contexts).items():
        np.testing.assert_array_equal(again[name], forecast)
    (tmp_path / "baseline.npz").write_bytes(b"nothing")
    with pytest.raises(UserError, match=r"baseline\.npz is damaged"):
        ForecastBaselines.load(tmp_path)
