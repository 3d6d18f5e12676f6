"""What the benchmarks of defaults, of probabilities and of reading make of what they are given."""

import numpy as np
import pytest

from benchmarks.default_data import co2, some
from benchmarks.defaults import compared
from benchmarks.probabilities import BINS, calibration_error, log_loss, sure
from benchmarks.reading import CASES


def test_metrics_of_baselines_are_told_apart():
    scores = {"loss": 1.0, "perplexity": 2.7, "ngram_loss": 2.0, "ngram_perplexity": 7.4}
    comparison = compared({**scores, "bits_per_byte": 1.4})
    assert comparison.of_baselines() == {"ngram": {"loss": 2.0, "perplexity": 7.4}}
    assert list(comparison.model) == ["loss", "perplexity"]
    assert compared({"spearman": 0.5}).model == {"spearman": 0.5}


def test_rows_are_drawn_once():
    assert some(range(3), 5) == [0, 1, 2]
    assert len(set(some(range(100), 40))) == 40 and some(range(9), 4) == some(range(9), 4)


def test_weekly_values_become_means_of_months_of_which_the_last_are_not_trained_on(tmp_path):
    (tmp_path / "co2").mkdir()
    weeks = [f"{1950 + i // 24}{1 + i // 2 % 12:02}{1 + i % 2 * 7:02},{i}.0" for i in range(8 * 24)]
    weeks[3] = weeks[3].split(",")[0] + ","
    (tmp_path / "co2" / "co2.csv").write_text("\n".join(["date,co2", *weeks]))
    files = co2(tmp_path, tmp_path / "out", 30)
    train, test = (path.read_text().split() for path in (files.train, files.test))
    assert test[:4] == ["month,co2", "1950-01-01,0.500", "1950-02-01,2.000", "1950-03-01,4.500"]
    assert len(test) == 1 + 96 and train == ["month,co2", *test[7:37]]


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
