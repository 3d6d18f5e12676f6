"""Which lengths share a shape."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zoo.data.batching.buckets import choose_buckets


def cost(groups, source, target, batch_size):
    total = 0
    for group in groups:
        s, t = int(source[group].max()), int(target[group].max())
        size = min(batch_size(s, t), len(group))
        total += -(-len(group) // size) * size * (s + t)
    return total


def by_budget(budget):
    return lambda s, t: max(1, budget // max(s, t))


lengths = st.lists(st.tuples(st.integers(1, 23), st.integers(1, 23)), min_size=1, max_size=41)


@settings(max_examples=80, deadline=None)
@given(pairs=lengths, budget=st.integers(1, 211))
def test_every_pair_is_in_one_group_and_groups_do_not_cost_more_than_one_shape(pairs, budget):
    source, target = np.array(pairs).T
    groups = choose_buckets(source, target, by_budget(budget))
    assert sorted(np.concatenate(groups)) == list(range(len(pairs)))
    assert 1 <= len(groups) <= 6
    assert all(len(group) and np.all(np.diff(group) > 0) for group in groups)
    everything = [np.arange(len(pairs))]
    assert cost(groups, source, target, by_budget(budget)) <= 1.02 * cost(
        everything, source, target, by_budget(budget)
    )


@settings(max_examples=20, deadline=None)
@given(counts=st.lists(st.integers(1, 7), min_size=1, max_size=7), rows=st.integers(1, 5))
def test_as_good_as_trying_every_cut(counts, rows):
    source = np.repeat(np.arange(2, 2 + len(counts)), counts)
    groups = choose_buckets(source, source, lambda s, t: rows, max_buckets=3)
    widths = np.unique(source)
    trials = []
    for k in range(3):
        for cuts in itertools.combinations(widths[1:], k):
            edges = [0, *cuts, 99]
            trial = [
                np.flatnonzero((source >= a) & (source < b)) for a, b in itertools.pairwise(edges)
            ]
            trials.append(cost(trial, source, source, lambda s, t: rows))
    assert cost(groups, source, source, lambda s, t: rows) <= 1.02 * min(trials)


def test_one_length_is_one_group():
    groups = choose_buckets(np.full(13, 5), np.full(13, 7), lambda s, t: 3)
    assert [group.tolist() for group in groups] == [list(range(13))]


def test_very_different_scales_of_source_and_target():
    random = np.random.default_rng(5)
    target = random.integers(2, 40, 997)
    source = target * 30 + random.integers(0, 30, 997)
    groups = choose_buckets(source, target, lambda s, t: 16)
    used = (source + target).sum()
    assert used / cost(groups, source, target, lambda s, t: 16) > 0.8


@pytest.mark.parametrize("longest", [127, 1021])
def test_padding_of_sentence_like_lengths_is_small(longest):
    random = np.random.default_rng(7)
    source = np.clip(np.exp(random.normal(2.7, 0.4, 4999)), 2, longest).astype(int)
    target = np.clip(source * random.normal(1, 0.15, 4999), 2, longest).astype(int)
    source[0] = longest
    groups = choose_buckets(source, target, lambda s, t: 32)
    assert 1 - (source + target).sum() / cost(groups, source, target, lambda s, t: 32) < 0.27
