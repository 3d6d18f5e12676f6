"""BLEU by the length of the source is sacrebleu's of the pairs in each bin."""

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from benchmarks.source_lengths import bins_of, bleu_by_length, plot, table

RANDOM = np.random.default_rng(3)
WORDS = ["a", "red", "hat", "on", "the", "mat", "dog", "is", "here"]


def sentence(length):
    return " ".join(RANDOM.choice(WORDS, length))


def corrupted(text):
    return " ".join(w if RANDOM.random() < 0.8 else "x" for w in text.split())


SOURCES = [sentence(RANDOM.integers(1, 30)) for _ in range(101)]
REFERENCES = [sentence(len(each.split()) + 4) for each in SOURCES]
PREDICTIONS = [corrupted(each) for each in REFERENCES]


def test_each_row_is_in_one_bin_and_equal_lengths_are_together():
    lengths = [len(each.split()) for each in SOURCES]
    bins = bins_of(lengths, 5)
    assert sorted(np.concatenate(bins)) == list(range(101)) and len(bins) == 5
    longest = [max(lengths[row] for row in rows) for rows in bins]
    shortest = [min(lengths[row] for row in rows) for rows in bins]
    assert all(a < b for a, b in zip(longest, shortest[1:], strict=False))
    assert max(map(len, bins)) < 30


@pytest.mark.parametrize("lengths", [[4, 4, 4], [1, 1, 2, 2, 2, 2]])
def test_few_lengths_make_few_bins(lengths):
    bins = bins_of(lengths, 4)
    assert len(bins) == len(set(lengths))
    assert sorted(np.concatenate(bins)) == list(range(len(lengths)))


def test_bleu_of_each_bin():
    found = bleu_by_length(SOURCES, REFERENCES, PREDICTIONS, 4)
    rows = bins_of([len(each.split()) for each in SOURCES], 4)
    for each, inside in zip(found, rows, strict=True):
        expected = BLEU(force=True).corpus_score(
            [PREDICTIONS[i] for i in inside], [[REFERENCES[i] for i in inside]]
        )
        assert abs(each.bleu - expected.score) < 1e-9 and each.pairs == len(inside)
        assert each.interval[0] < each.bleu < each.interval[1]
        lengths = [len(SOURCES[i].split()) for i in inside]
        assert (each.shortest, each.longest) == (min(lengths), max(lengths))


def test_the_table_and_the_figure_have_every_run(tmp_path):
    found = {
        name: bleu_by_length(SOURCES, REFERENCES, texts, 3)
        for name, texts in (("good", REFERENCES), ("bad", PREDICTIONS))
    }
    lines = table(found).splitlines()
    assert lines[2].startswith("| good | 100.0 (100.0-100.0) |") and len(lines) == 4
    plot(found, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes()[1:4] == b"PNG"
