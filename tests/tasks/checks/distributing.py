"""What a task learns on several devices."""

import os
import subprocess
import sys
from pathlib import Path

from tests.tasks.harness import Subject

ROOT = Path(__file__).parents[3]
DEVICES = "--xla_force_host_platform_device_count=8"


def distributed(subject: Subject) -> None:
    """On JAX, in another process, the numbers are those of one device; see `distributed.py`."""
    flags = f"{os.environ.get('XLA_FLAGS', '')} {DEVICES}"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.tasks.distributed",
            subject.folder.name,
            subject.place("jax"),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "KERAS_BACKEND": "jax", "XLA_FLAGS": flags},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    by_rows, by_weights = done.stdout.strip().splitlines()
    assert by_rows == "data 8"
    assert by_weights == "model 2" or "cannot split any weight" in by_weights
