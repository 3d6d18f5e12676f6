"""Run a job of `export.fresh` in a new Python process that imports none of the library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

# `-I` leaves PYTHONPATH and the current folder out; `fresh` is then found as a top-level package.
_START = """
import importlib, json, sys
sys.path.append(sys.argv[1])
job = json.load(open(sys.argv[3]))
answer = importlib.import_module("fresh." + sys.argv[2]).main(job)
json.dump(answer, open(sys.argv[3] + ".answer", "w"))
"""


class ProcessFailed(RuntimeError):
    """The process ended without an answer; the message holds the end of what it said."""


def run_fresh(module: str, job: dict) -> dict:
    """Give `job` to `main` of the module `export.fresh.<module>` and return its answer.

    Raises:
        ProcessFailed: the process died, an operator that crashes the runtime for instance.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "job.json"
        file.write_text(json.dumps(job))
        done = subprocess.run(
            [sys.executable, "-I", "-c", _START, str(Path(__file__).parent), module, str(file)],
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
        )
        answer = Path(f"{file}.answer")
        if done.returncode or not answer.exists():
            last = done.stderr.strip().splitlines()[-1:] or ["it said nothing"]
            raise ProcessFailed(f"the process ended with {done.returncode}: {last[0][:300]}")
        return json.loads(answer.read_text())
