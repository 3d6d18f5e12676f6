"""Servers in processes of their own, and callers of them at the same time."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

SERVE = [sys.executable, "-c", "from zoo.cli import main; main()", "serve"]
ROOT = Path(__file__).parents[1]
PATIENCE = 120  # seconds


def free_port() -> int:
    """A port that nothing listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def started(
    program: list[str], port: int, folder: Path | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """The process of a server that answers; Ctrl-C ends it.

    Args:
        program: The program and its arguments.
        port: The port that it listens at.
        folder: The folder to start it in.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        program,
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            _wait(process, port)
            yield process
        finally:
            os.killpg(process.pid, signal.SIGINT)
            try:
                process.wait(PATIENCE)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            connection.request("GET", "/")
            connection.getresponse().read()
            connection.close()
            return
        time.sleep(0.1)
    raise RuntimeError(f"no server answers at port {port}: {process.args!r}")


class Answer(NamedTuple):
    """What a caller got: the key of its request, the status, the body, and the seconds it took."""

    key: Hashable
    status: int
    body: bytes
    seconds: float


def answers(
    port: int, path: str, requests: Iterable[tuple[Hashable, bytes]], callers: int
) -> list[Answer]:
    """The answers to requests of several callers, each of which waits for its answer.

    Args:
        port: The port of the server.
        path: The path to send them to.
        requests: Keys and bodies; the callers share them.
        callers: Number of callers, each with a connection that it keeps.
    """
    found: list[Answer] = []
    failures: list[Exception] = []
    lock, left = threading.Lock(), iter(requests)

    def call() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        try:
            while True:
                with lock:
                    if failures or (request := next(left, None)) is None:
                        return
                key, body = request
                start = time.perf_counter()
                connection.request("POST", path, body, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                content = answer.read()
                found.append(Answer(key, answer.status, content, time.perf_counter() - start))
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=call) for _ in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return found
