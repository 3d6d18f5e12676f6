"""Scores of sets of texts in resamples, against sacrebleu on the texts of each resample."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

from zoo.metrics.corpus_scores import bleu_of, chrf_of, ter_of

SCORES = {
    "bleu": (bleu_of, BLEU(force=True)),
    "chrf": (chrf_of, CHRF()),
    "ter": (ter_of, TER()),
}
words = st.sampled_from(["a", "red", "hat", "häuser", "-", "Hat"])
text = st.lists(words, max_size=7).map(" ".join)
rows = st.lists(
    st.tuples(st.lists(text, min_size=2, max_size=2), text, st.integers(0, 3)), min_size=1
)


@pytest.mark.parametrize("name", SCORES)
@settings(max_examples=40, deadline=None)
@given(rows)
def test_values_of_resamples_are_those_of_sacrebleu(name, drawn):
    score_of, scorer = SCORES[name]
    references, predictions, counts = zip(*drawn, strict=True)
    value = score_of(references, predictions)(np.array([counts], float))[0]
    places = np.repeat(np.arange(len(drawn)), counts)
    if not len(places):
        assert value == 0
        return
    streams = [[references[i][n] for i in places] for n in range(2)]
    expected = scorer.corpus_score([predictions[i] for i in places], streams).score
    assert value == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_shorter_ngrams(order):
    references, predictions = [["a red hat", "the hat"], ["two dogs run"]], ["red hat", "dogs run"]
    value = bleu_of(references, predictions, order)(np.ones((1, 2)))[0]
    streams = [["a red hat", "two dogs run"], ["the hat", None]]
    expected = BLEU(max_ngram_order=order).corpus_score(predictions, streams).score
    assert value == pytest.approx(expected)
