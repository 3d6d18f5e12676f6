"""The command `compare`: two models, row by row."""

import csv
import json
from math import comb

import pytest

import export
import zoo
from tests.zoo.test_cli import refused, run
from zoo.tasks.changed_answers import changes, mcnemar

ROWS = [(f"a {word} film {n}", label) for n in range(9) for word, label in
        (("fine", "good"), ("dull", "bad"), ("odd", "good"))]  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two classifiers, of which the second has learned half of the labels the other way round."""
    folder = tmp_path_factory.mktemp("compared")
    tasks = []
    for name, rows in (("a", ROWS), ("b", [(t, "bad" if "odd" in t else x) for t, x in ROWS])):
        task = zoo.TextClassifier(num_buckets=64)
        task.fit(rows, epochs=12, xla=False, verbose=False)
        task.save(folder / name)
        tasks.append(task)
    with (folder / "test.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *ROWS])
    return folder, tasks


@pytest.mark.parametrize(("lost", "gained"), [(0, 0), (0, 1), (3, 11), (5, 5), (40, 71)])
def test_the_paired_test_is_a_binomial_test(lost, gained):
    n = lost + gained
    tail = sum(comb(n, k) for k in range(min(lost, gained) + 1)) / 2**n
    assert mcnemar(lost, gained) == pytest.approx(min(1, 2 * tail))
    assert mcnemar(lost, gained) == mcnemar(gained, lost)
    assert mcnemar(0, 100_000) == 0.0 or mcnemar(0, 100_000) < 1e-300


def test_the_rows_that_changed(runs):
    folder, (first, second) = runs
    found = changes(first, second, folder / "test.csv")
    texts = [text for text, _ in ROWS]
    both = [*zip(first.predict(texts), second.predict(texts), strict=True)]
    assert found.rows == len(ROWS)
    expected = [
        (n, texts[n - 1], a, b, ROWS[n - 1][1]) for n, (a, b) in enumerate(both, 1) if a != b
    ]
    actual = [(x.number, x.source, x.answer, x.other, x.reference) for x in found.changed]
    assert actual == expected and expected
    assert found.lost == sum(a == right for _, _, a, _, right in expected)
    assert found.gained == sum(b == right for _, _, _, b, right in expected)
    assert found.metrics["accuracy"].value == pytest.approx(
        sum(a == right for (a, _), (_, right) in zip(both, ROWS, strict=True)) / len(ROWS)
    )
    assert changes(first, first, folder / "test.csv").changed == []


def test_the_command_prints_them(runs):
    folder, (first, second) = runs
    told = ("compare", folder / "a", folder / "b", "--data", folder / "test.csv")
    found = changes(first, second, folder / "test.csv")
    lines = run(*told, "--rows", 2).stdout.splitlines()
    assert f"{len(found.changed)} of 27 answers changed" in lines
    assert f"right only in a: {found.lost}; only in b: {found.gained}; p " in "\n".join(lines)
    assert lines[-3].split() == ["row", "input", "a", "b", "reference"] and len(lines[-2:]) == 2
    everything = json.loads(run(*told, "--json").stdout)
    assert len(everything["changed"]) == len(found.changed)
    assert everything["p"] == pytest.approx(found.p)


@pytest.mark.thorough
def test_an_artifact_answers_as_its_run(runs, tmp_path):
    folder, (first, _) = runs
    export.litert(first, tmp_path / "a.tflite")
    told = ("compare", folder / "a", tmp_path / "a.tflite", "--data", folder / "test.csv")
    assert "0 of 27 answers changed" in run(*told).stdout


def test_bad_input(runs, tmp_path):
    folder, _ = runs
    task = zoo.TextRegressor(num_buckets=64)
    task.fit([("a cup", 1.0), ("a hat", 2.0)] * 9, epochs=1, xla=False, verbose=False)
    task.save(tmp_path / "values")
    data = ("--data", folder / "test.csv")
    assert "a run of text-classifier cannot be compared with one of text-regressor" in refused(
        "compare", folder / "a", tmp_path / "values", *data
    )
    assert "does not exist" in refused(
        "compare", folder / "a", folder / "b", "--data", folder / "no.csv"
    )
