"""The task series-classifier: lengths, tables, the command line, and what is refused."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import zoo
from tests.tasks.cases.files import motions
from zoo.cli.app import app
from zoo.errors import UserError

SMALL = {"hidden_dim": 5, "num_layers": 1, "kernel_size": 3}


def run(*arguments):
    actual = CliRunner().invoke(app, [str(each) for each in arguments])
    assert actual.exit_code == 0, actual.output
    return actual.stdout


def rows(count=14, steps=13):
    random = np.random.default_rng(0)
    return [(random.normal(i % 2, 1, steps + i), "ab"[i % 2]) for i in range(count)]


def fitted(data, **options):
    task = zoo.SeriesClassifier(**{**SMALL, **options})
    task.adapt(data)
    task.fit(data, epochs=1, xla=False, verbose=False)
    return task


@pytest.mark.thorough
def test_the_context_is_as_long_as_the_longest_series():
    task = fitted(rows())
    assert task.preprocessor.context == 26 and task.labels == ["a", "b"]
    assert task.model.input["values"].shape == (None, 26, 1)
    assert fitted(rows(), context_length=7).preprocessor.context == 7


def test_a_longer_series_counts_by_its_end():
    task, series = fitted(rows(), context_length=7), np.arange(11.0)
    changed = np.where(np.arange(11) < 4, 99.0, series)
    np.testing.assert_allclose(task.predict_proba([series]), task.predict_proba([changed]))


def test_a_shorter_series_begins_with_missing_steps():
    task, series = fitted(rows(), context_length=7), np.arange(5.0)
    longer = np.r_[np.nan, np.nan, series]
    np.testing.assert_allclose(task.predict_proba([series]), task.predict_proba([longer]))


def test_values_are_standardized_by_the_training_data():
    task, data = fitted(rows()), rows()
    every = np.concatenate([each for each, _ in data])
    mean, scale = (float(w.numpy()[0]) for w in task.model.standardize.weights)
    assert mean == pytest.approx(every.mean(), rel=1e-5)
    assert scale == pytest.approx(every.std(), rel=1e-5)


@pytest.mark.thorough
def test_a_table_from_the_command_line(tmp_path):
    data, out = motions(tmp_path), tmp_path / "run"
    sets = [f"--set={name}={value}" for name, value in SMALL.items()]
    said = run("train", "series-classifier", "--data", data, "--out", out, "--epochs", 1, *sets)
    assert f"keras-attn predict {out} FILE\n" in said
    said = [line.split("\t") for line in run("predict", out, data).splitlines()]
    assert [name for name, _ in said] == [f"m{i}" for i in range(26)]
    assert {label for _, label in said} <= {"slow", "fast"}
    unlabeled = tmp_path / "new.csv"  # columns of numbers that were not there are not read
    lines = data.read_text("utf-8").replace(",slow", ",1").replace(",fast", ",2")
    unlabeled.write_text(lines.replace("label", "number"), "utf-8")
    assert [line.split("\t") for line in run("predict", out, unlabeled).splitlines()] == said
    actual = json.loads(run("evaluate", out, "--data", data, "--json"))
    assert actual["intervals"].keys() == {"accuracy"}
    names = ("", "majority_", "nearest_centroid_", "logistic_regression_")
    metrics = {name + metric for name in names for metric in ("accuracy", "macro_f1")}
    assert set(actual) == {*metrics, "intervals"}


def test_an_archive_is_predicted_by_number(tmp_path):
    task, steps = fitted(rows()), np.linspace(0, 3, 11)
    x = np.stack([steps, np.where(np.arange(11) < 7, steps[::-1], np.nan)])
    np.savez(tmp_path / "new.npz", x=x)
    actual = dict(zip("12", task.predict([x[0], x[1, :7]]), strict=True))
    assert task.predict_named([tmp_path / "new.npz"]) == [actual]
    assert task.predict(tmp_path / "new.npz") == list(actual.values())


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda task: task.predict(np.ones(7)), "got a single series"),
        (lambda task: task.predict([np.ones((7, 3))]), "has 3 targets; expected 1"),
        (lambda task: task.predict([np.full(7, np.nan)]), "has no values among the last 26"),
        (lambda task: task.predict([["a", "b"]]), "series 1 must be an array"),
        (lambda task: task.evaluate([(np.ones(7), "c")]), "has the label 'c'; expected one of a"),
        (lambda task: task.evaluate([(np.ones((7, 2)), "a")]), "value 1, value 2; the training"),
    ],
)
def test_what_is_refused(use, message):
    with pytest.raises(UserError, match=message):
        use(fitted(rows()))
