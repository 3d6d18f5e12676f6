"""Wherever training, import or export is stopped, starting it again ends as if it had not been."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.__main__ import REPORTED
from tests.zoo.pretrained.tiny_bert import write

ROOT = Path(__file__).parents[2]


# A stride that is a prime number reaches other steps in each epoch.
STRIDES = {"train": {"power": 71}}
LONG = {
    "train": {"kill": 7, "power": 11, "full": 11, "broken": 13},
    "train by steps": {"kill": 17, "power": 29, "full": 19},
    "prepare": {"kill": 3, "power": 5, "full": 5, "broken": 7},
    "import": {"kill": 5, "power": 5, "full": 3, "broken": 5},
    "litert": {"kill": 11, "power": 13, "full": 13, "broken": 17},
    "saved model": {"kill": 7, "power": 7, "full": 5, "broken": 7},
    "onnx": {"kill": 11, "power": 13, "full": 13, "broken": 17},
}

CAUSES = {
    "kill": "kill -9",
    "power": "a power failure",
    "full": "a full disk",
    "broken": "a broken disk",
}


@pytest.mark.parametrize(
    ("action", "how", "stride"),
    [
        pytest.param(action, how, stride, marks=mark)
        for mark, strides in ((pytest.mark.thorough, STRIDES), (pytest.mark.long, LONG))
        for action, each in strides.items()
        for how, stride in each.items()
    ],
)
def test_stopped_at_steps_in_the_file_system(tmp_path, action, how, stride, attack):
    tried = attack(f"stopped by {CAUSES[how]}", action)
    if action == "import":
        write(tmp_path / "checkpoint")
    command = [sys.executable, "-m", "tests.faults", action, tmp_path, how, str(stride)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "KERAS_BACKEND": "tensorflow"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    whole, *lines = map(json.loads, done.stdout.splitlines())
    assert (whole["status"], whole["again"]) == (0, 0) and len(lines) > 1
    for line in lines:
        tried()
        # A log that cannot be written does not stop a training.
        expected = [-9] if how in ("kill", "power") else [0, REPORTED]
        assert line["status"] in expected, (line["step"], done.stderr)
        assert line["again"] == 0, (line["step"], done.stderr)
        assert line["digest"] == whole["digest"] and line["files"] == whole["files"], line["step"]
    epochs = [line["epoch"] for line in lines]
    assert how in ("full", "broken") or epochs == sorted(epochs)  # nothing is lost again
    assert action != "train" or how != "power" or {*epochs} == {0, 1, 2}
