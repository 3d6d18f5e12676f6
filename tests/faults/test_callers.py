"""Every task's artifacts, called by a crowd of which half is hostile, answer the others as ever."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import export

ROOT = Path(__file__).parents[2]
WARM = 4  # rounds after which memory is flat
STEP, GROWTH = 2, 100  # MB: allocators grow in steps, and only a leak grows in every round
REFUSED = ("rank", "missing")
SECONDS = 300


def crowd(path, module):
    command = [sys.executable, "-m", f"tests.faults.{module}", path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


def check_flat(memory):
    """That memory in MB, after each round, has stopped to grow."""
    steps = [later - earlier for earlier, later in pairwise(memory[WARM - 1 :])]
    assert min(steps) < STEP and sum(steps) < GROWTH, memory


def check(path, tried, module="callers"):
    actual = crowd(path, module)
    ends = actual["ends"]
    tried(sum(ends.values()))
    assert ends.pop("good answered") > 1000
    assert not [each for each in ends if each.startswith("good") or each.endswith("failed")]
    for kind in REFUSED:
        assert f"{kind} refused" in ends and f"{kind} answered" not in ends
    check_flat(actual["memory"])


def test_a_saved_model(task, tmp_path, attack):
    export.saved_model(task, tmp_path / "served")
    check(tmp_path / "served" / "1", attack("100 callers", f"SavedModel of {task.name}"))


@pytest.mark.long
def test_onnx_files(task, tmp_path, attack):
    export.onnx(task, tmp_path / "onnx")
    check(tmp_path / "onnx", attack("100 callers", f"ONNX files of {task.name}"))


@pytest.mark.long
def test_a_server(task, tmp_path, attack):
    export.saved_model(task, tmp_path / "served")
    tried = attack("100 callers", f"server of a SavedModel of {task.name}")
    check(tmp_path / "served" / "1", tried, "requests")


def test_a_litert_file(task, tmp_path, attack):
    export.litert(task, tmp_path / "ids.tflite")
    check(tmp_path / "ids.tflite", attack("100 callers", f"LiteRT file of {task.name}"))
