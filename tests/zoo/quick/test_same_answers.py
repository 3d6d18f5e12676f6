"""The LiteRT file of a run answers as its weights do, for each kind of input and of answer."""

import csv
import subprocess
import sys

import numpy as np
import pytest

import zoo
from tests.zoo.quick.conftest import TEXTS, ask, picture, rows_of, trained
from zoo.cli.quick import answers, making
from zoo.cli.quick.sameness import same

WITHOUT_TENSORFLOW = """
import sys
from zoo.cli.app import app
try:
    app(sys.argv[1:])
except SystemExit as error:
    heavy = {"tensorflow", "keras"} & set(sys.modules)
    sys.exit(f"imported {heavy}" if heavy else error.code)
"""


@pytest.fixture
def quick_only(monkeypatch):
    """The weights must not answer, but where `--exact` says so."""
    monkeypatch.setattr(answers.QuickAnswers, "_exact", property(lambda self: pytest.fail()))


def cells(*arguments, out):
    ask(*arguments, "--out", out)
    with out.open(newline="") as file:
        return list(csv.reader(file))


def numbers(table):
    return [[float(x) if x.replace(".", "").isdigit() else x for x in row] for row in table]


def check_same(folder, inputs, tmp_path, *options):
    """Each form of `predict` prints the same with the file and with the weights."""
    own, exact = rows_of(folder, *inputs, *options), rows_of(folder, *inputs, *options, "--exact")
    assert same(own, exact) and own
    assert [list(row) for row in own] == [list(row) for row in exact]
    lines, wanted = ask(folder, *inputs, *options), ask(folder, *inputs, *options, "--exact")
    assert len(lines[0].splitlines()) == len(wanted[0].splitlines()) and lines[1] == wanted[1]
    one = cells(folder, *inputs, *options, out=tmp_path / "own.csv")
    other = cells(folder, *inputs, *options, "--exact", out=tmp_path / "exact.csv")
    assert one[0] == other[0]
    assert same(numbers(one), numbers(other))


def test_labels_of_texts(made, quick_only, tmp_path):
    check_same(made, TEXTS, tmp_path)
    check_same(made, TEXTS, tmp_path, "--top-k", "1")
    piped = ask(made, text="\n".join(TEXTS))
    assert piped == ask(made, "--exact", text="\n".join(TEXTS))
    table = tmp_path / "t.csv"
    table.write_text("number,text\n" + "".join(f"{n},{text}\n" for n, text in enumerate(TEXTS)))
    assert ask(made, "--file", table)[0] == ask(made, "--file", table, "--exact")[0]


def test_it_imports_neither_tensorflow_nor_keras(made):
    command = [sys.executable, "-c", WITHOUT_TENSORFLOW, "predict", made, TEXTS[0], "--json"]
    result = subprocess.run([*map(str, command)], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert f'"text": "{TEXTS[0]}"' in result.stdout


def test_unknown_tokens_are_counted(made, quick_only):
    texts = ["fine 7 7", "so fine"]
    assert "2 unknown tokens" in ask(made, *texts)[1]
    assert ask(made, *texts)[1] == ask(made, *texts, "--exact")[1]


@pytest.mark.parametrize("text", ["fine " * 20, "", "zebra", "zebra yak"])
def test_texts_that_are_not_ordinary_are_left_to_the_weights(made, text):
    """Those that are cut, empty or unknown, of which the run makes a note."""
    assert ask(made, text, "so fine") == ask(made, text, "so fine", "--exact")
    assert ask(made, text)[1]


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["pairs", "several labels", "value", "threshold"])
def test_other_answers_to_texts(kind, quick_only, tmp_path):
    small = {"embedding_dim": 7, "units": 5}
    texts = TEXTS
    if kind == "pairs":
        rows = [(text, "fine", "yes" if "fine" in text else "no") for text in TEXTS] * 4
        task = zoo.TextClassifier("rnn_classifier", "tiny", pairs=True, **small)
        texts = [f"{text}\tfine" for text in TEXTS]
    elif kind == "several labels":
        rows = [(text, "fine|old" if "fine" in text else "new") for text in TEXTS] * 4
        task = zoo.TextClassifier("rnn_classifier", "tiny", multi_label=True, **small)
    elif kind == "threshold":
        rows = [(text, "good" if "fine" in text else "bad") for text in TEXTS] * 4
        named = {"threshold": 0.99, "other_label": "neither"}
        task = zoo.TextClassifier("rnn_classifier", "tiny", **named, **small)
    else:
        rows = [(text, float(len(text) + n)) for n, text in enumerate(TEXTS * 4)]
        task = zoo.TextRegressor("rnn_classifier", "tiny", **small)
    folder = trained(task, rows, tmp_path / "run")
    assert making.make(folder)
    check_same(folder, texts, tmp_path)


@pytest.mark.thorough
def test_images(quick_only, tmp_path):
    for label, level in (("dark", 60), ("light", 190)):
        (tmp_path / "images" / label).mkdir(parents=True)
        for number in range(5):
            picture(tmp_path / "images" / label / f"{number}.png", level + number)
    task = zoo.ImageClassifier("stn_classifier", "affine", layers=[[4, 3]], localization=[[2, 3]])
    folder = trained(task, tmp_path / "images", tmp_path / "run")
    assert making.make(folder)
    check_same(folder, [tmp_path / "images"], tmp_path)
    check_same(folder, [tmp_path / "images"], tmp_path, "--top-k", "2")
    for name in ("large.png", "large.jpg"):
        check_same(folder, [picture(tmp_path / name, 100, (31, 29))], tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["forecasts", "labels", "value"])
def test_series(kind, quick_only, tmp_path):
    random = np.random.default_rng(0)
    if kind == "forecasts":
        wave = 5 + np.sin(np.arange(97) * np.pi / 2) + random.normal(0, 0.1, 97)
        lines = [f"{1900 + n},{x:.4f}" for n, x in enumerate(wave)]
        (tmp_path / "s.csv").write_text("\n".join(["date,value", *lines]))
        task = zoo.SeriesForecaster(horizon=3, seasonality=4, quantiles=[0.1, 0.5, 0.9])
        folder = trained(task, tmp_path / "s.csv", tmp_path / "run")
    else:
        series = random.normal(size=(12, 19)) + np.arange(12)[:, None]
        answers = {
            "labels": [("low", "high")[n > 5] for n in range(12)],
            "value": [float(n) for n in range(12)],
        }[kind]
        task = zoo.SeriesClassifier() if kind == "labels" else zoo.SeriesRegressor()
        folder = tmp_path / "run"
        trained(task, list(zip(series, answers, strict=True)), folder)
        np.savez(tmp_path / "s.npz", x=series)
    assert making.make(folder)
    path = tmp_path / ("s.csv" if kind == "forecasts" else "s.npz")
    own, exact = rows_of(folder, path), rows_of(folder, path, "--exact")
    assert own and same(own, exact)
    if kind == "forecasts":
        check_same(folder, [path], tmp_path)


def test_forecasts_of_more_steps_are_those_of_the_weights():
    assert not answers.takes({"quantiles": [0.5]}, {"steps": 9})
    assert not answers.takes({"labels": None}, {"top_k": 2})
