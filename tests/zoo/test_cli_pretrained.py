"""Checkpoints on the command line: import, predict, fine-tune, export."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from typer.testing import CliRunner

import zoo
from tests.zoo.pretrained import tiny_bart, tiny_gpt2
from tests.zoo.pretrained.tiny_bert import WIDTH, write
from zoo import atomic
from zoo.cli.app import app


def run(*arguments):
    return CliRunner().invoke(app, [str(each) for each in arguments])


@pytest.mark.thorough
def test_import_and_predict_vectors(tmp_path):
    write(tmp_path / "checkpoint")
    made = run("import", tmp_path / "checkpoint", "--out", tmp_path / "run")
    assert made.exit_code == 0, made.output
    assert "text-embedder" in made.output
    actual = run("predict", tmp_path / "run", "a red hat", "", "--json")
    answers = json.loads(actual.stdout)
    assert actual.stderr == "note: texts: 1 text without tokens\n"
    assert [each["text"] for each in answers] == ["a red hat", ""]
    assert {len(each["prediction"]) for each in answers} == {WIDTH}
    (line,) = run("predict", tmp_path / "run", "a red hat").stdout.splitlines()
    np.testing.assert_allclose(json.loads(line), answers[0]["prediction"], rtol=1e-6, atol=1e-6)


def test_an_import_to_a_full_disk_leaves_nothing(tmp_path, monkeypatch):
    """There is space for the vocabulary, but not for the weights."""
    checkpoint, out = write(tmp_path / "checkpoint"), tmp_path / "run"
    monkeypatch.setattr(atomic.shutil, "disk_usage", lambda path: SimpleNamespace(free=1000))
    refused = run("import", checkpoint, "--out", out)
    assert refused.exit_code == 2
    assert refused.stderr == (
        f"keras-attn: The disk is full: {out} was not written. Free some space, then try again.\n"
    )
    assert not out.exists()
    monkeypatch.undo()
    assert run("import", checkpoint, "--out", out).exit_code == 0


def test_weights_that_are_not_finite_are_not_imported(tmp_path):
    checkpoint = write(tmp_path / "checkpoint")
    tensors = load_file(checkpoint / "model.safetensors")
    tensors[min(tensors)] = np.full_like(tensors[min(tensors)], np.nan)
    save_file(tensors, checkpoint / "model.safetensors")
    refused = run("import", checkpoint, "--out", tmp_path / "run")
    assert refused.exit_code == 2
    assert refused.stderr == (
        f"keras-attn: {checkpoint / 'model.safetensors'}: the tensor {min(tensors)} has values "
        "that are NaN or infinite: download it again\n"
    )
    assert not (tmp_path / "run").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("pairs", [True, False])
def test_a_classifier_is_imported_for_pairs_or_single_texts(pairs, tmp_path):
    checkpoint = write(tmp_path / "checkpoint", "BertForSequenceClassification")
    out = tmp_path / "run"
    made = run("import", checkpoint, "--out", out, *(["--pairs"] if pairs else []))
    assert made.exit_code == 0, made.output
    single, pair = (run("predict", out, text) for text in ("a red hat", "a hat\ta dog"))
    assert pair.stdout.strip() in ("bad", "good", "neither")  # for single texts, a tab is a space
    if pairs:
        assert single.exit_code == 2 and "expected 2 texts separated by tabs" in single.stderr
    else:
        assert single.stdout.strip() in ("bad", "good", "neither")


@pytest.mark.long
def test_train_from_a_checkpoint(tmp_path):
    write(tmp_path / "checkpoint")
    data = tmp_path / "data.tsv"
    data.write_text("a red hat\tgood\na dog runs\tbad\n" * 6)
    how = ["--pretrained", tmp_path / "checkpoint", "--data", data, "--out", tmp_path / "run"]
    trained = run("train", "text-classifier", *how, "--epochs", 1, "--no-xla")
    assert trained.exit_code == 0, trained.output
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["model_options"]["hidden_dim"] == WIDTH
    assert config["settings"]["tokenizer"] == "bert-wordpiece"
    assert run("predict", tmp_path / "run", "a dog").stdout.strip() in ("good", "bad")


@pytest.mark.thorough
@pytest.mark.parametrize("tiny", [tiny_gpt2, tiny_bart])
def test_checkpoints_that_generate(tiny, tmp_path):
    checkpoint = tiny.write(tmp_path / "checkpoint")
    made = run("import", checkpoint, "--out", tmp_path / "run")
    assert made.exit_code == 0, made.output
    answers = run("predict", tmp_path / "run", "of the", "--max-new-tokens", 5, "--json")
    expected = zoo.from_pretrained(checkpoint).predict(["of the"], max_new_tokens=5)
    assert [each["prediction"] for each in json.loads(answers.output)] == expected


@pytest.mark.thorough
def test_export_a_checkpoint(tmp_path):
    checkpoint, run_folder = write(tmp_path / "checkpoint"), tmp_path / "run"
    made = run("import", checkpoint, "--out", run_folder)
    assert made.exit_code == 0, made.output
    how = ("--format", "hugging_face", "--out")
    result = run("export", run_folder, *how, tmp_path / "plain")
    assert result.stdout == f"{tmp_path}/plain: Hugging Face checkpoint (text-embedder)\n"
    result = run("export", run_folder, *how, tmp_path / "again", "--json")
    assert json.loads(result.stdout) == {"path": f"{tmp_path}/again"}
    texts = ["a red hat", "dogs"]
    expected = zoo.from_pretrained(checkpoint).embed(texts)
    np.testing.assert_array_equal(zoo.from_pretrained(tmp_path / "again").embed(texts), expected)

    failed = run("export", run_folder, *how, tmp_path / "again")
    assert failed.exit_code == 2
    assert f"{tmp_path}/again already exists" in " ".join(failed.output.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("import", "CHECKPOINT", "--out", "NEW", "--task", "text-classifier"),
            "has no head for the task text-classifier",
        ),
        (("import", "missing/", "--out", "NEW"), "is neither a folder nor a model"),
        (
            ("train", "text-classifier", "--pretrained", "CHECKPOINT", "--data", "DATA")
            + ("--out", "NEW", "--preset", "base"),
            "--pretrained determines the preset: leave out --preset",
        ),
    ],
)
def test_mistakes_are_one_line(arguments, message, tmp_path):
    write(tmp_path / "checkpoint")
    (tmp_path / "data.tsv").touch()
    places = {name: tmp_path / name.lower() for name in ("CHECKPOINT", "NEW")}
    places["DATA"] = tmp_path / "data.tsv"
    failed = run(*(places.get(each, each) for each in arguments))
    assert failed.exit_code == 2
    assert message in " ".join(failed.output.split())
