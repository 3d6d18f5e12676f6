"""The commands on the JAX backend."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.long
def test_a_run_that_was_trained_on_jax_is_exported(tmp_path):
    rows = ["a fine film\tgood", "a dull film\tbad"] * 5
    (tmp_path / "films.tsv").write_text("\n".join(rows) + "\n")
    new = "train text-classifier --data films.tsv --out run --epochs 1 --max-length 9 --no-xla"
    for arguments in (
        new.split(),
        ["evaluate", "run", "--data", "films.tsv"],
        ["export", "run", "--format", "litert", "--out", "run.tflite"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", "from zoo.cli import main; main()", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "KERAS_BACKEND": "jax"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / "run.tflite").is_file()
