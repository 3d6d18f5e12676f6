import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zoo.data.shards.permutation import Permutation


def permutation(count, seed=0):
    return Permutation(np.random.default_rng(seed), count)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 3000), st.integers(0, 2**32), st.data())
def test_it_is_a_bijection_of_which_any_part_is_the_same(count, seed, data):
    order = permutation(count, seed)
    whole = order[:]
    assert np.array_equal(np.sort(whole), np.arange(count))
    begin = data.draw(st.integers(0, count))
    end = data.draw(st.integers(begin, count))
    assert np.array_equal(permutation(count, seed)[begin:end], whole[begin:end])
    places = np.array(data.draw(st.lists(st.integers(0, count - 1), max_size=9)), int)
    assert np.array_equal(order[places], whole[places])


@pytest.mark.parametrize("count", [7, 64, 101])
def test_each_place_and_each_step_is_equally_likely(count):
    rounds = 400
    actual = np.stack([permutation(count, seed)[:] for seed in range(rounds)])
    places = np.stack([np.bincount(actual[:, i], minlength=count) for i in range(count)])
    steps = np.bincount(((actual[:, 1:] - actual[:, :-1]) % count).ravel(), minlength=count)[1:]
    for counts in (places, steps):
        expected = counts.mean()
        freedom = counts.size - 1
        chi_square = ((counts - expected) ** 2 / expected).sum()
        assert abs(chi_square - freedom) < 5 * (2 * freedom) ** 0.5


def test_a_huge_order_takes_no_memory_and_its_parts_are_disjoint():
    order = permutation(10**15 + 37, 3)
    actual = np.concatenate([order[:1000], order[10**15 : 10**15 + 37]])
    assert len(set(actual.tolist())) == 1037 and 0 <= actual.min() and actual.max() < 10**15 + 37
