"""Work that needs a process of its own is done once for all rows, by whichever test asks first."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run_once(
    folder: Path, module: str, backend: str, names: list[str], python: str = sys.executable
) -> None:
    """Runs `python -m module folder names…` unless it has run; all test workers share it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        left = [name for name in names if not (folder / name).exists()]
        while left:
            actual = subprocess.run(
                [python, "-m", module, str(folder), *left],
                cwd=ROOT,
                env=os.environ | {"KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"},
                capture_output=True,
                text=True,
                check=False,
            )
            left, before = [n for n in names if not (folder / n).exists()], left
            if left:  # the process died on the first one left: report that, and go on
                (folder / left[0]).mkdir()
                (folder / left[0] / "error").write_text(
                    f"the process ended with {actual.returncode}\n{actual.stderr[-2000:]}"
                )
                left = left[1:] if len(before) > 1 else []


def result(folder: Path, name: str) -> Path:
    """The folder of one row's results; fails with what went wrong there."""
    error = folder / name / "error"
    if error.exists():
        pytest.fail(error.read_text(), pytrace=False)
    return folder / name


def each(names: list[str], folder: Path, work) -> None:
    """Called in the process: does the work of each row in a folder, keeping what it raised."""
    import tempfile
    import traceback

    for name in names:
        # Renamed into place when done, so that a row that kills the process leaves nothing.
        scratch = Path(tempfile.mkdtemp(dir=folder, prefix=".at-work-"))
        try:
            work(name, scratch)
        except Exception:
            (scratch / "error").write_text(traceback.format_exc()[-4000:])
        scratch.rename(folder / name)
    os._exit(0)  # without the minute that backends take to clear what they compiled
