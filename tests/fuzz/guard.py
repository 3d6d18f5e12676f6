"""What must not happen while an untrusted file is read, whatever it contains."""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from zoo.errors import LONGEST

SECONDS = 20  # of the processor, that reading one small file may take
WAITING = 15  # times as long it may take where others compute, too
CANARY = "canary_of_the_fuzz_tests"  # module and file that nothing may import or open
FORBIDDEN = (
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "pickle.find_class",
    "pty.spawn",
    "socket.connect",
    "socket.getaddrinfo",
    "subprocess.Popen",
)

_watched: list[tuple[Path, list[str]]] = []  # the folder that is read, and what was done wrong


class Hang(BaseException):
    """Reading took too long. No `except Exception` catches it."""


class Unexpected(AssertionError):
    """Something that must not happen did."""


def _audit(event: str, details: tuple[Any, ...]) -> None:
    if not _watched:
        return
    folder, actual = _watched[-1]
    if event.startswith(FORBIDDEN) or (event == "import" and CANARY in str(details[0])):
        actual.append(f"{event} {details!r:.200}")
    elif event == "open" and isinstance(details[0], str | bytes):
        path, flags = os.fsdecode(details[0]), details[2] or 0
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        outside = not Path(path).absolute().is_relative_to(folder)
        if Path(path).name == CANARY or (writes and outside and not _is_cache(path)):
            actual.append(f"{event} {details!r:.200}")


def _is_cache(path: str) -> bool:
    return "__pycache__" in path or path == os.devnull


sys.addaudithook(_audit)


@contextlib.contextmanager
def guarded(folder: Path, errors: tuple[type[Exception], ...]) -> Iterator[None]:
    """Runs a block that reads a folder.

    Args:
        folder: The only folder that it may write to.
        errors: Exceptions that it may raise; their messages must be short, printable text.

    Raises:
        Unexpected: If it executed code, opened a connection, or used a file outside its folder.
        Hang: If it took too long.
    """

    def stop(*_: Any) -> None:
        raise Hang(f"still reading after {SECONDS} seconds of the processor")

    actual: list[str] = []
    _watched.append((folder.absolute(), actual))
    before = [signal.signal(number, stop) for number in (signal.SIGPROF, signal.SIGALRM)]
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, SECONDS * WAITING)
    try:
        yield
    except errors as error:
        check_message(str(error))
    except OSError as error:
        if not (error.filename and error.strerror):  # the command line reports these in one line
            raise
    finally:
        for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
            signal.setitimer(timer, 0)
        for number, handler in zip((signal.SIGPROF, signal.SIGALRM), before, strict=True):
            signal.signal(number, handler)
        _watched.pop()
    if actual:
        raise Unexpected(actual)


def check_message(message: str) -> None:
    """Checks that a message can be printed, and is short enough to be read."""
    message.encode()  # without lone surrogates
    if not message.strip() or len(message) > LONGEST:
        raise Unexpected(f"a message of {len(message)} characters: {message:.100}")
