"""The penalty of doubly stochastic attention against NumPy."""

import numpy as np
import pytest

from zoo.training.attention_penalty import AttentionPenalty


def test_it_is_that_of_the_paper():
    random = np.random.default_rng(3)
    lengths, sums = np.array([5, 0, 2, 7]), random.uniform(0, 2, (4, 11))
    ids = np.where(np.arange(7) < lengths[:, None], random.integers(4, 19, (4, 7)), 0)
    expected = sum(
        (1 - each) ** 2 for row, length in zip(sums, lengths, strict=True) for each in row if length
    )
    actual = AttentionPenalty(0)(ids, sums.astype("float32"))
    assert float(actual) == pytest.approx(expected / 14, rel=1e-6)


def test_without_tokens_it_is_zero():
    assert float(AttentionPenalty(0)(np.zeros((2, 3), "int32"), np.ones((2, 5)) * 7)) == 0


def test_its_config():
    assert AttentionPenalty.from_config(AttentionPenalty(5).get_config()).pad == 5
