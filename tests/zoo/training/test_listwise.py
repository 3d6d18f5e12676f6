"""The listwise loss follows its formula, and leaves out padding."""

import numpy as np
import pytest
from keras import ops

from zoo.training.listwise import ListwiseLoss


def test_it_is_the_cross_entropy_of_the_first_of_each_list():
    random = np.random.default_rng(0)
    scores = random.normal(size=(3, 4))
    values = np.tile([1.0, -1, -1, -1], 3)
    expected = np.mean(np.log(np.exp(scores).sum(axis=1)) - scores[:, 0])
    loss = ListwiseLoss(4)(values[:, None], scores.reshape(-1, 1))
    assert float(loss) == pytest.approx(expected, abs=1e-6)


def test_rows_and_lists_without_values_do_not_count():
    nan = np.nan
    values = np.array([1, -1, nan, nan, nan, nan])[:, None]
    scores = np.array([0.5, 0.25, 9, 9, 9, 9])[:, None]
    expected = np.log(np.exp(0.5) + np.exp(0.25)) - 0.5
    assert float(ListwiseLoss(3)(values, scores)) == pytest.approx(expected, abs=1e-6)
    assert float(ListwiseLoss(3)(np.full((3, 1), nan), scores[:3])) == 0.0


def test_its_config_restores_it():
    again = ListwiseLoss.from_config(ListwiseLoss(7).get_config())
    assert again.length == 7
    assert float(again(ops.zeros((7, 1)), ops.zeros((7, 1)))) == pytest.approx(np.log(7), abs=1e-6)
