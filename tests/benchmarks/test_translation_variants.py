"""Tests of benchmarks.translation_variants."""

import math

import numpy as np
import pytest

import zoo
from benchmarks.translation_variants import BASE, VARIANTS, Outcome, overlap, overlaps, table
from zoo.attention_map import AttentionMap


def test_overlap_is_what_the_weights_of_all_pairs_of_heads_have_in_common():
    weights = np.random.default_rng(3).dirichlet(np.ones(7), size=(3, 5))  # (H, T, S)
    expected = [
        sum(min(weights[i, t, s], weights[j, t, s]) for s in range(7))
        for t in range(5)
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    assert overlap(weights) == pytest.approx(np.mean(expected), abs=1e-12)


def test_overlaps_are_means_over_layers_and_sentences_without_single_heads():
    def shown(*heads: list[float]) -> AttentionMap:
        weights = np.array(heads, "float32")[:, None]
        return AttentionMap(weights, ["a", "b"], ["A"], "cross_0")

    one, other, half = [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]
    first = {"cross": [shown(one, other), shown(one, one)], "encoder": [shown(one)]}
    second = {"cross": [shown(one, half)], "encoder": []}
    assert overlaps([first, second]) == {"cross": pytest.approx((0 + 1 + 0.5) / 3)}


@pytest.mark.parametrize("name", VARIANTS)
def test_each_variant_is_a_task_with_options_that_exist(name):
    variant = VARIANTS[name]
    task = zoo.TextToText(**{"model": BASE, "preset": "tiny", **variant.options})
    assert set(variant.training) <= set(vars(task.Training()))


def test_table_has_a_row_for_each_variant():
    outcome = Outcome("mean", 12_345, math.e, 20.04, (19.0, 21.5), {"cross": 0.256}, 1.5, 6)
    row = table([outcome]).splitlines()[-1]
    assert row == "| mean | 12,345 | 2.718 | 20.0 (19.0-21.5) | 1.50 | cross 0.26 |"
