"""Forecasts further than the horizon: the distribution of an autoregression, and covariates."""

import numpy as np
import pytest
from scipy.stats import norm
from typer.testing import CliRunner

import zoo
from tests.tasks import api
from zoo.cli.app import app
from zoo.data.series.series import Series
from zoo.errors import UserError
from zoo.tasks.recursive_forecasts import PATHS, draw, forecast_further

LEVELS = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95]
SMALL = {"hidden_dim": 5, "dropout": 0.0, "horizon": 3, "context_length": 7, "encoder": "conv"}


def autoregression(phi, noise):
    """Quantiles of the next value, given the last."""

    def forecast(series):
        last = np.stack([each.values[-1] for each in series]).astype("float64")
        return (phi * last[:, :, None] + noise * norm.ppf(LEVELS))[:, None]

    return forecast


def test_draws_have_the_quantiles_they_are_drawn_from():
    quantiles = np.tile(norm.ppf(LEVELS), (200_000, 1, 1, 1))
    actual = draw(quantiles, LEVELS, np.random.default_rng(0).random((200_000, 1, 1))).ravel()
    np.testing.assert_allclose(np.quantile(actual, LEVELS), norm.ppf(LEVELS), atol=0.01)
    assert -2.6 < np.quantile(actual, 0.01) < -2.2 and 2.2 < np.quantile(actual, 0.99) < 2.6


def test_an_autoregression_has_the_spread_of_the_formula():
    series = [Series(np.array([[7.0], [5.0]], "float32")), Series(np.array([[-3.0]], "float32"))]
    phi, noise, steps = 0.8, 2.0, 11
    actual = forecast_further(autoregression(phi, noise), series, steps, LEVELS, context=2)
    assert actual.shape == (2, steps, 1, len(LEVELS))
    power = phi ** np.arange(1, steps + 1)
    deviation = noise * np.sqrt(np.cumsum(np.r_[1, power[:-1] ** 2]))
    for row, last in zip(actual[:, :, 0], (5.0, -3.0), strict=True):
        true = last * power[:, None] + deviation[:, None] * norm.ppf(LEVELS)
        np.testing.assert_array_equal(row[0], true[0])  # directly
        error = np.abs(row - true) / deviation[:, None]
        assert error.max() < 5 / np.sqrt(PATHS) and error.mean() < 1.5 / np.sqrt(PATHS)


def test_a_single_level_is_read_as_it_is():
    def double(series):
        return 2 * np.stack([each.values[-2:] for each in series])[..., None]

    start = Series(np.array([[1.0, 5.0], [3.0, 7.0]], "float32"))
    (actual,) = forecast_further(double, [start], 5, [0.5], context=2)
    assert actual[:, 0, 0].tolist() == [2, 6, 4, 12, 8]
    assert actual[:, 1, 0].tolist() == [10, 14, 20, 28, 40]


def test_covariates_go_on_and_those_that_are_not_known_are_missing():
    def covariates(series):
        return np.stack([each.known[len(each) : len(each) + 2] for each in series])[..., None]

    known = np.arange(10.0, 21)[:, None].astype("float32")  # of 4 steps, and of 7 after them
    start = Series(np.zeros((4, 1), "float32"), known=known)
    (actual,) = forecast_further(covariates, [start], 7, [0.5], context=3)
    assert actual.ravel().tolist() == [14, 15, 16, 17, 18, 19, 20]


def test_a_short_series_grows_up_to_the_context():
    lengths = []

    def count(series):
        lengths.append(len(series[0]))
        return np.zeros((len(series), 2, 1, 1))

    forecast_further(count, [Series(np.zeros((1, 1), "float32"))], 9, [0.5], context=4)
    assert lengths == [1, 3, 4, 4, 4]


@pytest.fixture(scope="module")
def forecaster():
    task = zoo.SeriesForecaster(**SMALL, quantiles=[0.1, 0.5, 0.9])
    wave = 5 + np.sin(np.arange(61) * np.pi / 3)
    task.adapt([wave])
    task.fit([wave], **{**api.FIT, "epochs": 2})
    return task, wave


def test_the_first_horizon_is_the_direct_forecast(forecaster):
    task, wave = forecaster
    near, far = task.predict([wave, wave[:-1]]), task.predict([wave, wave[:-1]], steps=8)
    for a, b in zip(near, far, strict=True):
        assert b.shape == (8, 3) and (np.diff(b) >= 0).all()
        np.testing.assert_allclose(b[:3], a, rtol=1e-5)
    np.testing.assert_allclose(task.predict([wave], steps=2)[0], near[0][:2], rtol=1e-5)
    again, other = (task.predict([wave], steps=8, seed=seed)[0] for seed in (0, 7))
    np.testing.assert_allclose(again, far[0], rtol=1e-5)
    assert np.abs(other[3:] - again[3:]).max() > 1e-4


def test_steps_run_the_program_of_the_horizon(forecaster, monkeypatch):
    task, wave = forecaster
    (near,) = task.predict([wave])
    monkeypatch.setattr("zoo.tasks.parts.answer.Program", None)  # nothing is compiled anew
    (far,) = task.predict([wave], steps=8, seed=3)
    np.testing.assert_allclose(far[:3], near, rtol=1e-5)


def test_scores_are_those_of_all_steps(forecaster):
    task, wave = forecaster
    errors = []
    for seed in (0, 7):
        actual = task.evaluate([wave], steps=8, seed=seed)
        forecast = task.predict([wave[:-8]], steps=8, seed=seed)[0]
        errors.append(np.abs(forecast[:, 1] - wave[-8:]).mean())
        assert actual["mae"] == pytest.approx(errors[-1], rel=1e-4)
    assert errors[0] != pytest.approx(errors[1], rel=1e-4)
    assert not any(name.startswith("linear") for name in actual)
    assert "linear_mae" in task.evaluate([wave], steps=3)


def test_what_is_refused(forecaster):
    task, wave = forecaster
    with pytest.raises(UserError, match="steps must be an integer of at least 1"):
        task.predict([wave], steps=0)
    with pytest.raises(UserError, match="has no option 'beams'"):
        task.evaluate([wave], beams=2)


def test_the_command_line(forecaster, tmp_path):
    task, wave = forecaster
    task.save(tmp_path / "run")
    rows = "".join(f"{step},{value:.4f}\n" for step, value in enumerate(wave))
    (tmp_path / "a.csv").write_text("step,value\n" + rows, "utf-8")

    def run(*arguments):
        return CliRunner().invoke(app, [*arguments, "--steps", "5"])

    said = run("predict", str(tmp_path / "run"), str(tmp_path / "a.csv")).stdout
    assert [line.split("\t")[1] for line in said.splitlines()] == ["61", "62", "63", "64", "65"]
    said = run("evaluate", str(tmp_path / "run"), "--data", str(tmp_path / "a.csv"))
    assert "mae" in said.stdout and "linear" not in said.stdout
