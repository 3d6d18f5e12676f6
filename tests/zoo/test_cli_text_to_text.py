"""Text-to-text on the command line: train, resume, evaluate, predict, export, verify."""

import hashlib
import json

import numpy as np
import pytest

from tests.zoo.tasks.small_task import make_pairs
from tests.zoo.test_cli import run

PAIRS = make_pairs()
SMALL = "--set num_layers=1 --set hidden_dim=32 --set num_heads=2 --set intermediate_dim=32".split()
TRAIN = "--vocabulary-size 60 --max-source-length 9 --max-target-length 5 --no-xla".split()
RATE = "--learning-rate 0.01 --warmup 10 --label-smoothing 0 --batch-tokens 40".split()


def write(path, pairs):
    path.write_text("".join(f"{source}\t{target}\n" for source, target in pairs))
    return path


@pytest.mark.long
def test_from_pairs_to_a_verified_artifact(tmp_path):
    data, held_out = write(tmp_path / "a.tsv", PAIRS), write(tmp_path / "b.tsv", PAIRS[:7])
    out = tmp_path / "run"
    begin = ["train", "text-to-text", "--data", data, "--validation", held_out, "--out", out]
    assert run(*begin, *SMALL, *TRAIN, *RATE, "--epochs", "3").exit_code == 0
    assert (out / "history.csv").read_text().count("\n") == 1 + 3
    assert run(*begin, *SMALL, *TRAIN, *RATE, "--epochs", "6", "--resume").exit_code == 0
    assert (out / "history.csv").read_text().count("\n") == 1 + 6

    scores = json.loads(run("evaluate", out, "--data", held_out, "--json").stdout)
    assert set(scores) == {"bleu", "chrf", "exact_match", "intervals"}
    sources = [source for source, _ in PAIRS[:7]]
    (tmp_path / "sources.txt").write_text("\n".join(sources) + "\n")
    said = run("predict", out, "--file", tmp_path / "sources.txt").stdout.splitlines()
    exact = np.mean([one == target for one, (_, target) in zip(said, PAIRS, strict=False)])
    assert scores["exact_match"] == pytest.approx(exact)

    served, phone = tmp_path / "served", tmp_path / "phone" / "model.tflite"
    shape = ["--max-new-tokens", "5"]
    assert run("export", out, "--format", "saved_model", "--out", served, *shape).exit_code == 0
    small = ["--text", "strings", "--quantize", "int8", "--data", held_out, *shape]
    assert run("export", out, "--format", "litert", "--out", phone, *small).exit_code == 0
    assert run("verify", served).exit_code == run("verify", phone).exit_code == 0
    digest = hashlib.sha256(data.read_bytes()).hexdigest()
    for folder, name in ((served, "1"), (phone.parent, phone.name)):
        entry = json.loads((folder / "manifest.json").read_text())["artifacts"][name]
        assert entry["config"]["data"] == {"a.tsv": digest}
    phone.write_bytes(phone.read_bytes()[:-1] + b"?")
    assert run("verify", phone).exit_code == 1


@pytest.mark.thorough
def test_a_loss_that_is_no_number_ends_in_one_line(tmp_path):
    data = write(tmp_path / "a.tsv", PAIRS[:13])
    rate = "--learning-rate 1e30 --warmup 1 --batch-tokens 20 --epochs 9".split()
    command = ["train", "text-to-text", "--data", data, "--out", tmp_path / "run"]
    result = run(*command, *SMALL, *TRAIN, *rate)
    assert result.exit_code == 2
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("keras-attn: ")]
    assert line.startswith("keras-attn: The loss became nan at step ") and " of epoch " in line
