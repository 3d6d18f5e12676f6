"""Every task's artifacts, called by a crowd of which half is hostile, answer the others as ever."""

import json
import subprocess
import sys
from pathlib import Path

import export

ROOT = Path(__file__).parents[2]
WARM = 4  # rounds after which memory is flat
GROWTH = 40  # MB
REFUSED = ("rank", "missing")
SECONDS = 300


def crowd(path):
    command = [sys.executable, "-m", "tests.faults.callers", path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


def check(found):
    ends, memory = found["ends"], found["memory"]
    assert ends.pop("good answered") > 1000
    assert not [each for each in ends if each.startswith("good")]
    for kind in REFUSED:
        assert f"{kind} refused" in ends and f"{kind} answered" not in ends
    assert max(memory[WARM:]) < memory[WARM - 1] + GROWTH, memory


def test_a_saved_model(task, tmp_path):
    export.saved_model(task, tmp_path / "served")
    check(crowd(tmp_path / "served" / "1"))


def test_a_litert_file(task, tmp_path):
    export.litert(task, tmp_path / "ids.tflite")
    check(crowd(tmp_path / "ids.tflite"))
