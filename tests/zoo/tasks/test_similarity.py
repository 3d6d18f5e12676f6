"""The metrics of similarities of texts, against sums of their definitions."""

import numpy as np
import pytest

from tests.scores import score_likeness
from zoo.data.readers.scored_pairs import ScoredPairs
from zoo.metrics import retrieval
from zoo.metrics.measure import value_of
from zoo.metrics.retrieval import RetrievalRows
from zoo.tasks.measuring import default_values
from zoo.tasks.similarity import judged_by_tfidf


def scores_of(rows):
    metrics = retrieval.recall_at_1, retrieval.recall_at_5, retrieval.mrr
    measures = {name: each for metric in metrics for name, each in metric(rows).items()}
    return {name: value_of(each, len(rows)) for name, each in measures.items()}


def test_ranks_are_those_of_sorted_similarities(monkeypatch):
    monkeypatch.setattr(retrieval, "ROWS", 7)
    rng = np.random.default_rng(5)
    similarities = rng.normal(size=(23, 31))
    relevant = [{*rng.choice(31, size=1 + i % 3, replace=False).tolist()} for i in range(23)]
    ranks = []
    for row, own in zip(similarities, relevant, strict=True):
        order = np.argsort(-row).tolist()
        ranks.append(1 + min(order.index(each) for each in own))
    actual = scores_of(RetrievalRows.of(lambda rows: similarities[rows], relevant))
    assert actual["recall_at_5"] == pytest.approx(np.mean(np.array(ranks) <= 5))
    assert actual["recall_at_1"] == pytest.approx(np.mean(np.array(ranks) == 1))
    assert actual["mrr"] == pytest.approx(np.mean(1 / np.array(ranks)))


def test_equal_similarities_count_as_above():
    """Otherwise a model whose vectors are all the same would be perfect."""
    actual = scores_of(RetrievalRows.of(lambda rows: np.ones((2, 5))[rows], [{0}, {1, 2}]))
    assert actual["recall_at_1"] == 0 and actual["mrr"] == pytest.approx((1 / 5 + 1 / 4) / 2)


FIRSTS = ["red hat", "two dogs run", "rain rain"]
SECONDS = ["hat hat red", "dogs two", "sun"]


def tfidf(texts, every):
    words = sorted({word for text in every for word in text.split()})
    counts = np.array([[text.split().count(word) for word in words] for text in texts], float)
    have = np.array([sum(word in text.split() for text in every) for word in words])
    weights = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0)
    weights *= 1 + np.log((1 + len(every)) / (1 + have))
    return weights / np.maximum(np.linalg.norm(weights, axis=1, keepdims=True), 1e-12)


def test_the_baseline_is_tfidf():
    pytest.importorskip("sklearn")
    a, b = (tfidf(texts, FIRSTS + SECONDS) for texts in (FIRSTS, SECONDS))
    scores = [3.0, 1.0, 2.0]
    expected = score_likeness(np.array(scores), (a * b).sum(axis=1))
    actual = default_values(judged_by_tfidf(ScoredPairs("", FIRSTS, SECONDS, scores)))
    assert actual == pytest.approx(expected)
    # "rain rain" shares no word with any.
    actual = default_values(judged_by_tfidf(ScoredPairs("", FIRSTS, SECONDS)))
    assert actual == pytest.approx({"recall_at_1": 2 / 3, "mrr": (2 + 1 / 3) / 3})


def test_texts_without_words_have_no_baseline():
    assert judged_by_tfidf(ScoredPairs("", ["!", "?"], ["-", "."])) == {}
