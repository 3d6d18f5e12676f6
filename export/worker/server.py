"""A server of jobs, which runs each in a newly forked process.

Importing TensorFlow takes seconds: it is imported here once. Keras and this library are never
imported, so that every job begins in a process that has not seen them.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import sys
import tempfile
import threading
import time
import traceback

IDLE_SECONDS = 60.0  # then the process ends, as it occupies some hundred megabytes
IDLE = 75  # with this exit code
# On other systems libraries do not survive a fork: there a server runs one job.
FORKS = sys.platform == "linux"
LOOK = 0.25  # seconds from one look for the process that asked to the next
DEATH = 1  # PR_SET_PDEATHSIG of Linux's prctl


def main(idle_seconds: float) -> None:
    """Reads `<module> <file>` from each line of the standard input, runs that job, and writes its
    exit code to the standard output.

    A job calls `main` of the module with the content of the JSON file. What it returns is written
    to `<file>.answer`, what it prints to `<file>.printed`.

    Args:
        idle_seconds: After how many seconds without a job the process ends.
    """
    from .isolation import hide_library

    hide_library()
    import tensorflow  # noqa: F401  for the jobs to come

    parent = os.getppid()
    while _is_asked(idle_seconds):
        line = os.read(0, 65536).decode()
        if not line:  # the other process has ended
            return
        module, _, file = line.rstrip("\n").partition(" ")
        os.write(1, f"{_apart(module, file, parent)}\n".encode())
    sys.exit(IDLE)


def _is_asked(seconds: float) -> bool:
    return not FORKS or bool(select.select([0], [], [], seconds)[0])


def _apart(module: str, file: str, parent: int) -> int:
    """The exit code of a job; negative is a signal's number."""
    server = os.getpid()
    child = os.fork() if FORKS else 0
    if child:
        return _ended(child, parent)
    code = 1
    try:
        if FORKS:
            end_with(server)
        else:
            threading.Thread(target=_end_with_input, daemon=True).start()
        # Whoever asked removes this folder, also after the job was killed.
        tempfile.tempdir = os.path.dirname(file)
        printed = os.open(f"{file}.printed", os.O_WRONLY | os.O_CREAT)
        os.dup2(printed, 1)
        os.dup2(printed, 2)
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


def _ended(child: int, parent: int) -> int:
    """The exit code of a job. It is killed, and this process ends, if who asked for it is gone."""
    try:
        finished: int | None = os.pidfd_open(child)
    except (OSError, AttributeError):  # an older kernel
        finished = None
    asked = select.poll()
    asked.register(0, 0)  # tells only that the other end of the pipe was closed
    if finished is not None:
        asked.register(finished, select.POLLIN)
    while True:
        events = dict(asked.poll(1000 * LOOK if finished is not None else 10))
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            if finished is not None:
                os.close(finished)
            return os.waitstatus_to_exitcode(status)
        if 0 in events or os.getppid() != parent:
            os.kill(child, signal.SIGKILL)
            os._exit(1)


def end_with(server: int) -> None:
    """Has this process killed when the one that forked it ends, however that ends.

    Args:
        server: The id of the process that forked it.
    """
    import ctypes

    ctypes.CDLL(None).prctl(DEATH, signal.SIGKILL)
    if os.getppid() != server:  # it has ended before
        os._exit(1)


def _end_with_input() -> None:
    """Ends this process when the other end of its standard input is closed."""
    while os.read(0, 1):
        time.sleep(LOOK)
    os._exit(1)
