"""Scores of rankings against those of scikit-learn, and against sums written out."""

import numpy as np
import pytest

from tests.scores import score_ranking

metrics = pytest.importorskip("sklearn.metrics")


def lists(seed, graded):
    """Queries with passages, gains and different scores; each has relevant and other passages."""
    random = np.random.default_rng(seed)
    queries, gains, scores = [], [], []
    for query in range(23):
        size = int(random.integers(2, 31))
        own = random.integers(0, 4, size) if graded else random.integers(0, 2, size)
        own[:2] = (0, 3 if graded else 1)
        queries += [query] * size
        gains += own.tolist()
        scores += random.permutation(size).tolist()
    return np.array(queries), np.array(gains, float), np.array(scores, float)


@pytest.mark.parametrize("graded", [False, True])
def test_scores_are_those_of_scikit_learn(graded):
    queries, gains, scores = lists(3, graded)
    relevant = gains > (1.5 if graded else 0.5)
    rows = [np.flatnonzero(queries == query) for query in range(23)]
    expected = {
        "ndcg_at_10": [metrics.ndcg_score(gains[r][None], scores[r][None], k=10) for r in rows],
        "map": [metrics.average_precision_score(relevant[r], scores[r]) for r in rows],
        "mrr": [1 / (1 + (scores[r] > scores[r][relevant[r]].max()).sum()) for r in rows],
        "recall_at_10": [
            relevant[r][np.argsort(-scores[r])[:10]].sum() / relevant[r].sum() for r in rows
        ],
    }
    actual = score_ranking(queries.tolist(), gains, scores)
    assert list(actual) == ["ndcg_at_10", "mrr", "recall_at_10", "map"]
    for name, values in expected.items():
        assert actual[name] == pytest.approx(np.mean(values), abs=1e-12), name


def test_scores_written_out():
    # The relevant passages are at ranks 2 and 3 of a, and at rank 1 of b.
    actual = score_ranking([*"aaabb"], [0, 1, 1, 1, 0], [0.9, 0.5, 0.4, 0.8, 0.1])
    dcg = 1 / np.log2(3) + 1 / np.log2(4)
    assert actual == pytest.approx(
        {
            "ndcg_at_10": (dcg / (1 + 1 / np.log2(3)) + 1) / 2,
            "mrr": (1 / 2 + 1) / 2,
            "recall_at_10": 1.0,
            "map": ((1 / 2 + 2 / 3) / 2 + 1) / 2,
        }
    )


def test_ties_do_not_help():
    assert score_ranking(["a"] * 4, [1, 0, 0, 0], [0.5] * 4)["mrr"] == 1 / 4
    assert score_ranking(["a"] * 11, [1, *[0] * 10], [0.0] * 11)["recall_at_10"] == 0


def test_queries_without_a_choice_do_not_count():
    actual = score_ranking([*"aabbcc"], [1, 0, 1, 1, 0, 0], [0.1, 0.9, 1, 2, 3, 4])
    assert actual["mrr"] == 1 / 2
    assert score_ranking([*"aabb"], [1, 1, 1, 1], [1, 2, 3, 4]) == {}
    assert score_ranking([], [], []) == {}


def test_gains_in_any_unit_have_the_same_scores():
    queries, gains, scores = lists(5, True)
    expected = score_ranking(queries.tolist(), gains, scores)
    assert score_ranking(queries.tolist(), 10 * gains - 7, scores / 3 + 2) == pytest.approx(
        expected
    )
