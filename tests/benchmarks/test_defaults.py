"""What the benchmarks of defaults, of probabilities and of reading make of what they are given."""

import gzip
import json

import numpy as np
import pytest

from benchmarks.default_data import news, some, sst2_and_trec
from benchmarks.default_made import groups, headers, ratings, subjects
from benchmarks.default_series import co2, elnino, seattle
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


def test_years_of_months_and_days_become_series(tmp_path):
    for name in ("elnino", "seattle"):
        (tmp_path / name).mkdir()
    months = ",".join(f"M{i}" for i in range(12))
    years = [f"{y},{','.join(f'{y % 100}.{m}' for m in range(12))}" for y in range(1950, 1962)]
    (tmp_path / "elnino" / "elnino.csv").write_text("\n".join([f"YEAR,{months}", *years]))
    files = elnino(tmp_path, tmp_path / "out", 30)
    train, test = (path.read_text().split() for path in (files.train, files.test))
    assert test[:3] == ["month,celsius", "1950-01-01,50.0", "1950-02-01,50.1"]
    assert test[-1] == "1961-12-01,61.11" and train[1:] == test[1:25]
    days = [f"2012/{1 + i // 28:02}/{1 + i % 28:02},0.0,{i}.5" for i in range(150)]
    header = "date,precipitation,temp_max"
    (tmp_path / "seattle" / "seattle-weather.csv").write_text("\n".join([header, *days]))
    files = seattle(tmp_path, tmp_path / "out", 30)
    assert files.train.read_text().split()[-1] == "2012-01-10,9.5"
    assert files.to_evaluate == ["--data", str(files.test), "--windows", "20"]


def test_messages_are_texts_and_tasks_have_names(tmp_path):
    (tmp_path / "20news").mkdir()
    for part in ("train", "test"):
        lines = [json.dumps({"id": i, "text": f"{part} {i}\n"}) for i in range(110)]
        data = gzip.compress("\n".join([*lines, ""]).encode())
        (tmp_path / "20news" / f"{part}.jsonl.gz").write_bytes(data)
    files = news(tmp_path, tmp_path / "out", 10)
    train, held_out, test = (
        {json.loads(line)["text"] for line in path.read_text().splitlines()}
        for path in (files.train, files.validation, files.test)
    )
    assert (len(train), len(held_out), len(test)) == (10, 100, 100) and not train & held_out
    assert all(text.startswith("train ") for text in train)

    (tmp_path / "sst2").mkdir()
    for part in ("train", "dev", "test"):
        (tmp_path / f"sst2/stsa.binary.{part}").write_text("1 good\n0 bad\n")
    (tmp_path / "trec").mkdir()
    for part in ("train", "test"):
        (tmp_path / f"trec/TREC.{part}.all").write_text("NUM:date when ?\n" * 305)
    both = sst2_and_trec(tmp_path, tmp_path / "both", 4)
    folder = tmp_path / "both"
    assert both.to_train == [
        *("--data", f"sst2={folder}/sst2/train.tsv", "--data", f"trec={folder}/trec/train.tsv"),
        *("--validation", f"sst2={folder}/sst2/val.tsv"),
        *("--validation", f"trec={folder}/trec/val.tsv"),
    ]
    assert both.to_evaluate[2:] == ["--data", f"trec={folder}/trec/test.tsv"]
    assert (folder / "trec/train.tsv").read_text().split("\n")[:2] == ["text\tlabel", "when ?\tNUM"]


def post(number, group):
    head = f"From: ann{number}@x.org (Ann {number})\nSubject: Hats and shoes {number}\n\n"
    return {"id": number, "group": group, "text": head + f"hat {number} " * 20}


def test_questions_pairs_and_groups_are_made_from_messages(tmp_path):
    (tmp_path / "20news").mkdir()
    posts = [post(i, f"rec.{'ab'[i % 2]}") for i in range(1100)]
    data = gzip.compress("".join(json.dumps(each) + "\n" for each in posts).encode())
    for part in ("train", "test"):
        (tmp_path / "20news" / f"{part}.jsonl.gz").write_bytes(data)
    asked = headers(tmp_path, tmp_path / "asked", 30)
    rows = [json.loads(line) for line in asked.train.read_text().splitlines()]
    assert len(rows) == 30
    for row in rows:
        start = row["answer_start"]
        assert row["passage"][start : start + len(row["answer"])] == row["answer"]
    pairs = subjects(tmp_path, tmp_path / "pairs", 20)
    lines = [line.split("\t") for line in pairs.train.read_text().splitlines()]
    assert lines[0] == ["query", "passage", "score"]
    assert [line[2] for line in lines[1:]] == ["1", "0", "0", "0", "0"] * 4
    assert len(pairs.test.read_text().splitlines()) == 1 + 200 * 10
    files = groups(tmp_path, tmp_path / "groups", 12)
    assert len(files.train.read_text().splitlines()) == 12
    expected = ["--data", str(files.train), "--validation", "0.1", "--multi-label"]
    assert files.to_train == [*expected, "--label-column", "group", "--label-separator", "."]


def test_every_fifth_rating_is_evaluated(tmp_path):
    (tmp_path / "vader").mkdir()
    rated = "".join(f"{i}\t{i / 2}\tfilm {i}\n" for i in range(1, 21))
    (tmp_path / "vader" / "movieReviewSnippets_GroundTruth.txt").write_text(rated)
    files = ratings(tmp_path, tmp_path / "out", 9)
    train, test = (path.read_text().splitlines() for path in (files.train, files.test))
    assert test == ["text\trating", *(f"film {i}\t{i / 2}" for i in (5, 10, 15, 20))]
    assert len(train) == 10 and not set(train[1:]) & set(test)


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
