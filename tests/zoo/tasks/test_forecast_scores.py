"""Scores and baselines of forecasts, beside NumPy and scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from tests.scores import score_forecasts
from zoo.data.series.windows import center_and_scale, filled_contexts
from zoo.errors import UserError
from zoo.metrics.forecasts import seasonal_error
from zoo.tasks.baselines.forecasts import ForecastBaselines, seasonal_naive
from zoo.tasks.baselines.ridge import PENALTIES, chosen_ridge

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


def test_the_error_of_each_of_several_targets():
    rng = np.random.default_rng(5)
    true, actual = rng.normal(size=(5, 7, 2)), rng.normal(size=(5, 7, 2, 3))
    true[0, :, 1] = np.nan
    rows = [true, actual, LEVELS, np.ones((5, 2))]
    scores = score_forecasts(*rows, targets=["a", "b_mae"])
    for index, name in enumerate(("mae_of_a", "mae_of_b_mae")):
        expected = np.nanmean(np.abs(true[..., index] - actual[..., index, 1]))
        assert scores.pop(name) == pytest.approx(expected)
    assert scores == score_forecasts(*rows) and "mae" in scores
    many = np.ones((5, 7, 21)), np.ones((5, 7, 21, 3)), LEVELS, np.ones((5, 21))
    assert {*score_forecasts(*many, targets=[*map(str, range(21))])} == {*scores}


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


@pytest.mark.parametrize("seed", range(3))
def test_the_regression_is_the_one_that_fits_left_out_blocks_best(seed):
    rng = np.random.default_rng(seed)
    x = np.append(rng.normal(size=(46, 5)), np.ones((46, 1)), axis=1)
    priors = rng.normal(size=(2, 6, 3)) * [[[0.0]], [[1.0]]]
    y = x @ (priors[1] + [[0.3]] * 6) + (0, 1, 4)[seed] * rng.normal(size=(46, 3))

    def fit(rows, penalty, prior):
        """Ridge regression of what the prior does not explain, by scikit-learn."""
        rest = Ridge(alpha=penalty).fit(x[rows, :-1], y[rows] - x[rows] @ prior)
        return prior + np.append(rest.coef_.T, rest.intercept_[None], axis=0)

    errors = {}
    for number, prior in enumerate(priors):
        for penalty in PENALTIES:
            error = 0.0
            for block in np.array_split(np.arange(23), 5):  # rows of two targets each
                near = np.arange(2 * (block[0] - 4), 2 * (block[-1] + 5))
                rows = np.setdiff1d(np.arange(46), near)
                inside = np.arange(2 * block[0], 2 * block[-1] + 2)
                error += np.abs(x[inside] @ fit(rows, penalty, prior) - y[inside]).sum()
            errors[number, penalty] = error
    number, penalty = min(errors, key=errors.get)
    expected = fit(np.arange(46), penalty, priors[number])
    actual = chosen_ridge(x, y, [*priors], rows=2, gap=4)
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-7)


def test_few_windows_of_a_season_are_forecast_as_the_season_before():
    rng = np.random.default_rng(2)
    series = np.tile(rng.normal(size=6), 9)[:, None] + rng.normal(0, 0.3, (54, 1))
    windows = np.stack([series[i : i + 18] for i in range(37)])
    center, scale = center_and_scale(windows[:, :12])
    labels = (windows[:, 12:] - center) / scale
    baselines = ForecastBaselines.fit(windows[:25, :12], labels[:25], 6, [0.5])
    errors = {
        name: np.abs((forecast[..., 0] - windows[31:, 12:]) / scale[31:]).mean()
        for name, forecast in baselines.forecast(windows[31:, :12]).items()
    }
    x, y = ((windows[:, :12] - center) / scale)[..., 0], labels[..., 0]
    usual = Ridge(alpha=1.0).fit(x[:25], y[:25])  # towards 0, with a fixed penalty
    assert errors["linear"] < 1.05 * errors["seasonal_naive"]
    assert errors["linear"] < np.abs(usual.predict(x[31:]) - y[31:]).mean()


def test_the_linear_baseline_is_ridge_regression_to_nothing_or_to_the_season_before():
    contexts, labels, actual = fitted(missing=0.1)
    center, scale = center_and_scale(contexts)
    filled = filled_contexts((contexts - center) / scale, 2)
    x = np.nan_to_num(filled).transpose(0, 2, 1).reshape(-1, 7)
    y = labels.transpose(0, 2, 1).reshape(-1, 3)
    before = x[:, [5, 6, 5]]  # of seasons of two steps
    predicted = [
        prior + Ridge(alpha=penalty).fit(x, y - prior).predict(x)
        for prior in (0 * before, before)
        for penalty in PENALTIES
    ]
    forecast = actual.forecast(contexts)["linear"]
    distances = []
    for each in predicted:
        errors = np.quantile(y - each, LEVELS, axis=0).T[:, None]
        expected = each.reshape(97, 2, 3).transpose(0, 2, 1)[..., None] + errors
        expected = center[..., None] + scale[..., None] * expected
        distances.append(np.abs(forecast - expected).max())
    assert sorted(distances)[0] < 1e-5 < sorted(distances)[1]


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
