"""The calibration of quantiles: a factor that fits their distances to validation data."""

import numpy as np
import pytest

import zoo
from tests.tasks import api
from zoo.training.score_scaling import ScoreScaling
from zoo.training.spread import spread_of

LEVELS = [0.1, 0.3, 0.5, 0.8, 0.9]
NORMAL = np.array([-1.2816, -0.5244, 0, 0.8416, 1.2816])


def forecasts(deviation, rows=300, seed=3):
    random = np.random.default_rng(seed)
    center = random.normal(50, 9, (rows, 2, 3))
    values = center + deviation * random.normal(size=center.shape)
    values[random.random(center.shape) < 0.1] = np.nan
    return center[..., None] + NORMAL, values


@pytest.mark.parametrize("deviation", [0.3, 1.0, 2.5])
def test_the_factor_is_how_much_wider_the_values_are(deviation):
    quantiles, values = forecasts(deviation)
    found = spread_of(quantiles, values, LEVELS, 2, 2)
    assert found.temperature == pytest.approx(deviation ** (150 / 160), rel=0.07)
    assert found.after == pytest.approx(found.wanted, abs=0.05)
    low, high = quantiles[..., 0], quantiles[..., -1]
    there = ~np.isnan(values)
    inside = ((low <= values) & (values <= high))[there].mean()
    assert found.before == pytest.approx(inside)


def test_of_few_forecasts_it_is_near_one():
    quantiles, values = forecasts(3.0, rows=2)
    one = spread_of(quantiles, values, LEVELS, 2, 2)
    many = spread_of(np.tile(quantiles, (50, 1, 1, 1)), np.tile(values, (50, 1, 1)), LEVELS, 2, 2)
    assert np.log(one.temperature) == pytest.approx(
        np.log(many.temperature) / 11 * 60 / 50, rel=0.02
    )
    assert one.temperature > 1.05


def test_nothing_is_fitted_without_values_or_with_one_level():
    quantiles, values = forecasts(2.0, rows=5)
    assert spread_of(quantiles, np.full_like(values, np.nan), LEVELS, 2, 2) is None
    assert spread_of(quantiles[..., 2:3], values, [0.5], 0, 2) is None


def test_a_forecaster_keeps_its_spread(tmp_path):
    """In predictions, and after loading; the median stays, and a new training forgets it."""
    random = np.random.default_rng(0)
    wave = np.tile([5.0, 2, 9, 4], 40) + random.normal(0, 1, 160)
    task = zoo.SeriesForecaster(horizon=2, quantiles=LEVELS, context_length=8, hidden_dim=5)
    task.adapt([wave[:120]])
    task.fit([wave[:120]], [wave], **{**api.FIT, "epochs": 1}, folder=tmp_path)
    factor = task.scaling.temperature
    assert factor != 1.0
    (spread,) = task.predict([wave])
    np.testing.assert_array_equal(zoo.load(tmp_path).predict([wave])[0], spread)
    plain = zoo.load(tmp_path)
    plain.scaling = ScoreScaling()
    (before,) = plain.predict([wave])
    np.testing.assert_allclose(spread[:, 2], before[:, 2], rtol=1e-6)
    distances = (before - before[:, 2:3]) * factor
    np.testing.assert_allclose(spread - spread[:, 2:3], distances, atol=1e-5)
