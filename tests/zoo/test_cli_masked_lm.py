"""A masked language model on the command line: training, metrics, filled masks."""

import numpy as np
import pytest

from tests.zoo.test_cli import run

TOPICS = [["cat", "purrs", "mat", "milk"], ["horse", "neighs", "field", "hay"], ["bird", "nest"]]
RANDOM = np.random.default_rng(0)
TEXTS = [
    " ".join(" ".join(RANDOM.choice(topic, 4)) + "." for _ in range(12)) for topic in TOPICS * 6
]

pytestmark = pytest.mark.thorough


@pytest.mark.long
def test_train_evaluate_and_predict(tmp_path):
    data, out = tmp_path / "topics.txt", tmp_path / "run"
    data.write_text("\n".join(TEXTS))
    sizes = {"num_layers": 1, "hidden_dim": 16, "num_heads": 2, "intermediate_dim": 16}
    options = [f"--set={name}={size}" for name, size in sizes.items()]

    def call(*arguments):
        done = run(*arguments)
        assert done.exit_code == 0, done.output
        return done.stdout

    train = ["train", "masked-lm", "--data", data, "--out", out, "--max-length", 31]
    call(*train, "--epochs", 2, "--batch-size", 9, "--no-xla", "--whole-words", *options)
    assert "nsp_accuracy" in call("evaluate", out, "--data", data)
    lines = call("predict", out, "cat [MASK] mat.", "no mask").splitlines()
    assert lines[0].startswith("cat") and lines[0].endswith("mat.") and "[MASK]" not in lines[0]
    assert lines[1:] == ["no mask"]
