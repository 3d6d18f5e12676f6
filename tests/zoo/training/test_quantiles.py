"""The pinball loss, beside NumPy and scikit-learn."""

import numpy as np
from keras import ops
from sklearn.metrics import mean_pinball_loss

from zoo.training.quantiles import PinballLoss

LEVELS = [0.1, 0.5, 0.7]


def test_it_is_the_mean_over_what_is_not_missing():
    rng = np.random.default_rng(7)
    true, actual = rng.normal(size=(5, 7, 2)), rng.normal(size=(5, 7, 2, 3))
    true[rng.random(true.shape) < 0.3] = np.nan
    loss = float(PinballLoss(LEVELS)(true, actual))
    there = ~np.isnan(true)
    theirs = [
        mean_pinball_loss(true[there], actual[there][:, i], alpha=level)
        for i, level in enumerate(LEVELS)
    ]
    np.testing.assert_allclose(loss, np.mean(theirs), rtol=1e-6)
    errors = true[there][:, None] - actual[there]
    by_hand = np.where(errors > 0, np.array(LEVELS) * errors, (np.array(LEVELS) - 1) * errors)
    np.testing.assert_allclose(loss, by_hand.mean(), rtol=1e-6)


def test_it_is_zero_without_values():
    assert float(PinballLoss(LEVELS)(np.full((2, 3), np.nan), ops.ones((2, 3, 3)))) == 0


def test_config_round_trip():
    loss = PinballLoss.from_config(PinballLoss(LEVELS, name="quantiles").get_config())
    assert loss.quantiles == LEVELS and loss.name == "quantiles"
