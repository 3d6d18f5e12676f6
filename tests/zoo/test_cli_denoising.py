"""Denoising on the command line, and text-to-text fine-tuned from it."""

import json

import pytest

from tests.zoo.test_cli import run

WORDS = ["one", "two", "three", "four", "five", "six"]
TEXTS = [
    " ".join(" ".join(WORDS[(start + i) % 6] for i in range(5)) + " ." for start in range(n, n + 9))
    for n in range(12)
]

pytestmark = pytest.mark.thorough


@pytest.mark.long
def test_train_evaluate_and_fine_tune(tmp_path):
    data, pairs, out, other = (tmp_path / name for name in ("t.jsonl", "p.tsv", "run", "other"))
    data.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    pairs.write_text("one two\tthree four\ntwo three\tfour five\n" * 3)
    sizes = {"num_layers": 1, "hidden_dim": 8, "num_heads": 2, "intermediate_dim": 8}
    options = [f"--set={name}={size}" for name, size in sizes.items()]

    def call(*arguments):
        done = run(*arguments)
        assert done.exit_code == 0, done.output
        return done.stdout

    train = ["train", "denoising", "--model", "bart", "--data", data, "--out", out]
    how = ["--epochs", 1, "--no-xla", "--corruptions=token_deletion"]
    call(*train, *how, "--max-length", 19, *options)
    assert "restored" in call("evaluate", out, "--data", data)

    begin = ["train", "text-to-text", "--pretrained", out, "--data", pairs, "--out", other]
    call(*begin, "--epochs", 1, "--no-xla")
    configs = [json.loads((folder / "config.json").read_text()) for folder in (out, other)]
    assert configs[0]["settings"]["corruptions"] == ["token_deletion"]
    assert "corruptions" not in configs[1]["settings"]
    assert configs[1]["task"] == "text-to-text" and configs[1]["model_options"]["hidden_dim"] == 8
    tokenizers = [(folder / "tokenizer" / "tokenizer.json").read_text() for folder in (out, other)]
    assert tokenizers[0] == tokenizers[1]
    assert f"layers with the weights of {out} (denoising)" in (other / "log.txt").read_text()
