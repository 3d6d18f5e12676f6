"""Jobs of `export.worker` in a separate Python process, which cannot import the library."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from threading import Event

from export.worker.server import IDLE, IDLE_SECONDS

# `-I` leaves PYTHONPATH and the current folder out. The package is loaded from its folder under a
# name of its own, so that no installed package called `worker` is taken for it.
_START = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("export_worker", sys.argv[1] + "/__init__.py")
package = sys.modules[spec.name] = module_from_spec(spec)
spec.loader.exec_module(package)
from export_worker.server import main
main(float(sys.argv[2]))
"""


class ProcessFailed(RuntimeError):
    """A worker process ended without an answer; the message has the last line of its output."""


class WorkerServer:
    """A process that forks another one for each job; see `export.worker.server`.

    It is started when it is first needed, and ends with this process or when it has been idle for
    some time.

    Args:
        folder: The folder of the package `export.worker`.
        idle_seconds: After how many seconds without a job it ends.
    """

    def __init__(self, folder: Path, idle_seconds: float = IDLE_SECONDS) -> None:
        self._folder, self.idle_seconds = folder, idle_seconds
        self._process: subprocess.Popen[str] | None = None
        self._owner = 0  # a fork of this process must not talk to the same server
        self._lock = threading.Lock()

    def start(self) -> None:
        """Starts the process without waiting until it is ready."""
        with self._lock:
            self._running()

    def ask(self, module: str, file: Path, seconds: float | None = None) -> int:
        """Runs the job in a file, and returns its exit code; negative is the number of a signal.

        Args:
            module: The name of the module.
            file: The file.
            seconds: The time that it may take; None if there is no limit.

        Raises:
            TimeoutError: If it takes longer; then it is killed.
        """
        with self._lock:
            while True:
                process, late = self._running(), threading.Event()

                def end(process: subprocess.Popen[str] = process, late: Event = late) -> None:
                    late.set()
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)

                timer = threading.Timer(seconds or 0, end)
                timer.daemon = True
                if seconds is not None:
                    timer.start()
                try:
                    code = self._answer(process, f"{module} {file}\n")
                finally:
                    timer.cancel()
                if late.is_set():
                    raise TimeoutError
                if code != IDLE:  # it ended just as the job was sent
                    return code

    def _answer(self, process: subprocess.Popen[str], line: str) -> int:
        assert process.stdin and process.stdout
        try:
            with suppress(BrokenPipeError):
                process.stdin.write(line)
                process.stdin.flush()
            answer = process.stdout.readline()
            return int(answer) if answer else process.wait()
        except BaseException:  # Ctrl-C: its answer must not be taken for that to the next job
            self.stop()
            raise

    def _running(self) -> subprocess.Popen[str]:
        process = self._process
        if process is None or self._owner != os.getpid() or process.poll() is not None:
            self.stop()
            process = subprocess.Popen(
                [sys.executable, "-I", "-c", _START, str(self._folder), str(self.idle_seconds)],
                env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,
            )
            self._process, self._owner = process, os.getpid()
        return process

    def stop(self) -> None:
        """Ends the process, and the job that it is running."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(BrokenPipeError):
            process.communicate()  # closes the pipes, and waits


_server = WorkerServer(Path(__file__).parent / "worker")
atexit.register(_server.stop)


def start_worker() -> None:
    """Starts the process that `run_in_worker` needs, while there is other work to do."""
    _server.start()


def run_in_worker(module: str, job: dict, seconds: float | None = None) -> dict:
    """Calls `main` of a module of `export.worker` in a process of its own.

    Args:
        module: The name of the module.
        job: Its argument, plain data.
        seconds: The time that it may take; None if there is no limit.

    Returns:
        What it returned, plain data.

    Raises:
        ProcessFailed: If the process died, for instance of an operator that crashes the runtime,
            or took too long.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "job.json"
        file.write_text(json.dumps(job))
        try:
            code = _server.ask(module, file, seconds)
        except TimeoutError:
            raise ProcessFailed(f"it took longer than {seconds:g} seconds") from None
        answer, printed = (Path(f"{file}.{part}") for part in ("answer", "printed"))
        if code or not answer.exists():
            words = printed.read_text(errors="replace") if printed.exists() else ""
            last = words.strip().splitlines()[-1:] or ["there was no output"]
            raise ProcessFailed(f"the process ended with status {code}: {last[0][:300]}")
        return json.loads(answer.read_text())
