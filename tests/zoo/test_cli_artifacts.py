"""`predict` of exported artifacts."""

import json
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import export
import zoo
from zoo.cli.app import app
from zoo.cli.artifact_predictions import ArtifactPredictions

ROWS = [("a fine film", "good"), ("a dull film", "bad"), ("fine", "good"), ("so dull", "bad")] * 5
PAIRS = [("a film", "a movie", "same"), ("fine", "dull", "other")] * 9
TEXTS = ["fine", "a dull film", "ein schöner Film"]


def run(*arguments, text=""):
    return CliRunner().invoke(app, [*map(str, arguments)], input=text)


@pytest.fixture(scope="module")
def trained():
    task = zoo.TextClassifier("rnn_classifier", "tiny", vocabulary_size=50)
    task.adapt(ROWS)
    task.fit(ROWS, epochs=1, xla=False, verbose=False)
    return task


@pytest.fixture(scope="module")
def artifact(trained, tmp_path_factory):
    path = tmp_path_factory.mktemp("predict") / "films.tflite"
    export.litert(trained, path, text="bytes")
    return path


@pytest.mark.thorough
def test_a_litert_file_answers_as_the_task_does(trained, artifact):
    expected = trained.predict(TEXTS)
    assert run("predict", artifact, *TEXTS).stdout.splitlines() == expected
    assert run("predict", artifact, text="\n".join(TEXTS)).stdout.splitlines() == expected
    rows = json.loads(run("predict", artifact, *TEXTS, "--json").stdout)
    assert [row["text"] for row in rows] == TEXTS
    assert [row["prediction"] for row in rows] == expected
    scores = [row["outputs"]["scores"] for row in rows]
    np.testing.assert_allclose(scores, trained.predict_proba(TEXTS), atol=1e-5)


def test_it_counts_texts_of_which_it_knows_nothing(artifact, tmp_path):
    """As a run does: an empty text, and words that no training text has."""
    actual = run("predict", artifact, text="fine\n\nqqq\n")
    assert "2 texts without known tokens: the scores are the shares of the labels" in actual.stderr
    rows = json.loads(run("predict", artifact, "fine", "qqq fine", "qqq", "--json").stdout)
    assert [row["outputs"]["unknown"] for row in rows] == [0, 0, 1]
    (tmp_path / "t.csv").write_text("text\nfine\nqqq\n")
    actual = run("predict", artifact, "--file", tmp_path / "t.csv")
    assert "1 text without known tokens" in actual.stderr
    assert "known tokens" not in run("predict", artifact, "fine").stderr


@pytest.mark.thorough
def test_what_it_refuses(trained, artifact, tmp_path):
    for options in (["--beams", "2"], ["--head", "x"], ["--candidates"]):
        actual = run("predict", artifact, "fine", *options)
        assert "an artifact has its head and its generation options in it" in actual.stderr
    actual = run("predict", artifact, "fine", "--seed", "3")
    assert "--seed has no effect: the artifact does not sample" in actual.stderr
    export.litert(trained, tmp_path / "ids.tflite")
    actual = run("predict", tmp_path / "ids.tflite", "fine")  # by the tokenizer beside it
    assert actual.stdout == f"{trained.predict(['fine'])[0]}\n"
    (tmp_path / "alone.tflite").write_bytes(artifact.read_bytes())
    actual = run("predict", tmp_path / "alone.tflite", "fine")
    assert actual.exit_code == 2 and "alone.tflite" in actual.stderr
    changed = tmp_path / "changed" / "films.tflite"
    changed.parent.mkdir()
    for path in artifact.parent.iterdir():
        if path.is_file():
            (changed.parent / path.name).write_bytes(path.read_bytes())
    changed.write_bytes(artifact.read_bytes()[:-1] + b"x")
    actual = run("predict", changed, "fine")
    assert actual.exit_code == 2 and "must not be loaded" in actual.stderr


@pytest.mark.thorough
def test_it_needs_no_tensorflow(artifact):
    code = (
        "import sys\n"
        "from zoo.cli.app import app\n"
        "try:\n"
        f"    app(['predict', {str(artifact)!r}, 'fine'])\n"
        "finally:\n"
        "    print([name for name in ('tensorflow', 'keras', 'jax') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]" and done.stderr == ""


@pytest.mark.long
def test_pairs_of_texts_in_a_saved_model(tmp_path):
    task = zoo.TextClassifier("rnn_classifier", "tiny", vocabulary_size=50)
    task.adapt(PAIRS)
    task.fit(PAIRS, epochs=1, xla=False, verbose=False)
    export.saved_model(task, tmp_path / "served")
    for path in (tmp_path / "served", tmp_path / "served" / "1"):
        actual = run("predict", path, "a film\ta movie", "fine\tdull")
        assert actual.stdout.splitlines() == task.predict([row[:2] for row in PAIRS[:2]])
    actual = run("predict", tmp_path / "served", "alone")
    assert "expected 2 texts separated by tabs, got 'alone'" in actual.stderr


class Subtraction:
    """A model whose answer tells its two texts apart, with its inputs in another order."""

    name, takes_requests, beside = "subtraction", False, {}
    config = {"table": {"roles": ["text", "second"], "columns": {}}}
    signatures = {
        "serving_default": {
            "inputs": {name: {"dtype": "string", "shape": [None]} for name in ("second", "text")},
            "outputs": {},
        }
    }

    def run(self, signature, inputs):
        pairs = zip(inputs["text"], inputs["second"], strict=True)
        return {"values": np.array([[float(one) - float(other)] for one, other in pairs])}


def test_the_first_text_of_a_pair_is_the_first():
    """A signature has its inputs in the order of their names, where `second` comes first."""
    predictions = ArtifactPredictions(Subtraction())
    assert predictions(["7\t2"], {})[0]["outputs"] == {"values": [5.0]}
    answers = predictions.table_answers({}, None, {})
    assert answers.answer([("7", "2"), ("3", "8")], 0) == [
        {"prediction": 5.0},
        {"prediction": -5.0},
    ]


@pytest.mark.long
def test_samples_of_a_language_model(tmp_path):
    task = zoo.CausalLM("gpt", "tiny", vocabulary_size=60)
    task.adapt(["a fine film", "a dull film", "so dull"] * 20)
    options = {"text": "bytes", "temperature": 1.0, "max_new_tokens": 5}
    export.litert(task, tmp_path / "plays.tflite", **options)
    first, second = (
        run("predict", tmp_path / "plays.tflite", "a", "a", "--seed", seed).stdout
        for seed in ("7", "7")
    )
    assert first == second
    other = run("predict", tmp_path / "plays.tflite", "a", "--seed", "8").stdout
    assert first.splitlines()[1] == other.splitlines()[0] != first.splitlines()[0]


@pytest.mark.long
def test_vectors_are_printed(tmp_path):
    task = zoo.TextEmbedder("bert", "tiny", vocabulary_size=60)
    task.adapt([("a film", "a movie"), ("so dull", "dull")] * 9)
    export.litert(task, tmp_path / "vectors.tflite", text="bytes")
    (row,) = json.loads(run("predict", tmp_path / "vectors.tflite", "a film", "--json").stdout)
    vector = task.predict(["a film"])[0]
    np.testing.assert_allclose(row["outputs"]["embedding"], vector, atol=1e-5)
    assert run("predict", tmp_path / "vectors.tflite", "a film").stdout.startswith("embedding\t[")
