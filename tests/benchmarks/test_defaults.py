"""What the benchmarks of defaults, of probabilities and of reading make of what they are given."""

import numpy as np
import pytest

from benchmarks.default_data import some
from benchmarks.defaults import compared
from benchmarks.probabilities import BINS, calibration_error, log_loss, sure
from benchmarks.reading import CASES


def test_metrics_of_baselines_are_told_apart():
    scores = {"loss": 1.0, "perplexity": 2.7, "ngram_loss": 2.0, "ngram_perplexity": 7.4}
    found = compared({**scores, "bits_per_byte": 1.4})
    assert found.of_baselines() == {"ngram": {"loss": 2.0, "perplexity": 7.4}}
    assert list(found.model) == ["loss", "perplexity"]
    assert compared({"spearman": 0.5}).model == {"spearman": 0.5}


def test_rows_are_drawn_once():
    assert some(range(3), 5) == [0, 1, 2]
    assert len(set(some(range(100), 40))) == 40 and some(range(9), 4) == some(range(9), 4)


def test_scores_are_measured_as_their_formulas_say():
    random = np.random.default_rng(0)
    scores = random.dirichlet(np.full(3, 0.05), 500)
    labels = random.integers(0, 3, 500)
    own = [row[label] for row, label in zip(scores, labels, strict=True)]
    assert log_loss(scores, labels) == pytest.approx(-np.mean(np.log(np.maximum(own, 1e-12))))
    highest, right = scores.max(axis=1), scores.argmax(axis=1) == labels
    error = 0.0
    for low in range(BINS):
        inside = (highest >= low / BINS) & (highest < (low + 1) / BINS + (low == BINS - 1))
        if inside.any():
            error += inside.mean() * abs(right[inside].mean() - highest[inside].mean())
    assert calibration_error(scores, labels) == pytest.approx(error)
    assert sure(scores, labels) == np.mean([max(row) > 0.99 for row in scores])


@pytest.mark.parametrize("name", CASES)
def test_tables_are_read(name, tmp_path):
    write, read, _ = CASES[name]
    assert read(str(write(tmp_path, 200))) is not None
