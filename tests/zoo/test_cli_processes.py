"""Two trainings into one folder, each in a process of its own, and what a killed one leaves."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from zoo.cli.app import app

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]
TRAIN = ["train", "text-classifier", "--no-xla"]
PROGRAM = "from zoo.cli import main; main()"


def run(*arguments):
    return CliRunner().invoke(app, [str(each) for each in arguments])


def test_the_second_training_is_refused_and_a_killed_one_is_resumed(tmp_path):
    data, out = tmp_path / "films.tsv", tmp_path / "run"
    data.write_text("a fine film\tgood\na dull film\tbad\n" * 9)
    given = ["--data", data, "--out", out, "--max-length", "13", "--epochs", "1000000"]
    with subprocess.Popen([sys.executable, "-c", PROGRAM, *TRAIN, *given], cwd=ROOT) as first:
        try:
            while not (out / "checkpoints" / "state.json").exists():
                assert first.poll() is None
                time.sleep(0.05)
            for options in (given, ["--out", out, "--resume"]):
                second = run(*TRAIN, *options)
                assert second.exit_code == 2
                assert second.stderr.count("\n") == 1
            assert "another process is writing to" in second.stderr
        finally:
            first.kill()
    state = json.loads((out / "checkpoints" / "state.json").read_text())
    epochs = state["epoch"] + 3
    resumed = run(*TRAIN, "--out", out, "--resume", "--epochs", epochs, "--json")
    assert resumed.exit_code == 0, resumed.output
    assert json.loads(resumed.stdout)["epochs"] == epochs
    config = json.loads((out / "config.json").read_text())
    assert config["settings"]["max_length"] == 13 and config["training"]["xla"] is False
    assert not (out / ".lock").exists()
