"""Run jobs one after another, each in a newly forked process.

Importing TensorFlow takes seconds: it is imported here once. Keras and this library are never
imported, so that every job begins in a process that has not seen them.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import sys
import traceback

IDLE_SECONDS = 60.0  # then the process ends, as it occupies some hundred megabytes
IDLE = 75  # with this exit code
# On other systems libraries do not survive a fork: there a server runs one job.
FORKS = sys.platform == "linux"


def main(idle_seconds: float) -> None:
    """Reads `<module> <file>` from each line of the standard input, runs that job, and writes its
    exit code to the standard output.

    A job calls `main` of the module with the content of the JSON file. What it returns is written
    to `<file>.answer`, what it prints to `<file>.said`.

    Args:
        idle_seconds: After how many seconds without a job the process ends.
    """
    from .isolation import hide_library

    hide_library()
    import tensorflow  # noqa: F401  for the jobs to come

    while _is_asked(idle_seconds):
        line = os.read(0, 65536).decode()
        if not line:  # the other process has ended
            return
        module, _, file = line.rstrip("\n").partition(" ")
        os.write(1, f"{_apart(module, file)}\n".encode())
    sys.exit(IDLE)


def _is_asked(seconds: float) -> bool:
    return not FORKS or bool(select.select([0], [], [], seconds)[0])


def _apart(module: str, file: str) -> int:
    """The exit code of a job; negative is a signal's number."""
    child = os.fork() if FORKS else 0
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        said = os.open(f"{file}.said", os.O_WRONLY | os.O_CREAT)
        os.dup2(said, 1)
        os.dup2(said, 2)
        with open(file) as text:
            job = json.load(text)
        answer = importlib.import_module(f"{__package__}.{module}").main(job)
        with open(f"{file}.answer", "w") as text:
            json.dump(answer, text)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)
