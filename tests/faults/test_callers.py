"""Every task's artifacts, called by a crowd of which half is hostile, answer the others as ever."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import export

ROOT = Path(__file__).parents[2]
WARM = 4  # rounds after which memory is flat
STEP, GROWTH = 2, 100  # MB: allocators grow in steps, and only a leak grows in every round
REFUSED = ("rank", "missing")
SECONDS = 300


def crowd(path):
    command = [sys.executable, "-m", "tests.faults.callers", path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


def check(path, tried):
    found = crowd(path)
    ends, memory = found["ends"], found["memory"]
    tried(sum(ends.values()))
    assert ends.pop("good answered") > 1000
    assert not [each for each in ends if each.startswith("good")]
    for kind in REFUSED:
        assert f"{kind} refused" in ends and f"{kind} answered" not in ends
    steps = [later - earlier for earlier, later in pairwise(memory[WARM - 1 :])]
    assert min(steps) < STEP and sum(steps) < GROWTH, memory


def test_a_saved_model(task, tmp_path, attack):
    export.saved_model(task, tmp_path / "served")
    check(tmp_path / "served" / "1", attack("100 callers", f"SavedModel of {task.name}"))


def test_a_litert_file(task, tmp_path, attack):
    export.litert(task, tmp_path / "ids.tflite")
    check(tmp_path / "ids.tflite", attack("100 callers", f"LiteRT file of {task.name}"))
