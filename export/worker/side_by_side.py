"""Parts of a job in processes of their own, as many at once as there are cores.

Each part is a fork of the job, which is a fork of the server: it begins with TensorFlow imported
and nothing else, as the job did, and so is as clean. It must be started before the job has used
TensorFlow, whose threads a fork does not have. What a part leaves in memory, as conversions do,
ends with it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .server import FORKS, end_with


def side_by_side(call: Callable[[Any], Any], parts: Sequence[Any]) -> list[Any]:
    """What a function returns for each part of a job, plain data.

    If a part dies, the others are killed, and this process ends as it did.

    Args:
        call: The function.
        parts: Its arguments.

    Example:
        >>> side_by_side(lambda number: number * 2, [3])
        [6]
    """
    if not FORKS or len(parts) < 2 or _cores() < 2:
        return [call(part) for part in parts]
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / str(number) for number in range(len(parts))]
        waiting, running = list(zip(parts, files, strict=True)), set[int]()
        while waiting or running:
            while waiting and len(running) < _cores():
                running.add(_started(call, *waiting.pop(0)))
            child, status = os.wait()
            running.discard(child)
            if code := os.waitstatus_to_exitcode(status):
                for each in running:
                    os.kill(each, signal.SIGKILL)
                _end_as(code)
        return [json.loads(file.read_text()) for file in files]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


def _started(call: Callable[[Any], Any], part: Any, file: Path) -> int:
    """The process that answers a part into a file; it ends with this one, however that ends."""
    job = os.getpid()
    if child := os.fork():
        return child
    code = 1
    try:
        end_with(job)
        file.write_text(json.dumps(call(part)))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _end_as(code: int) -> None:
    """Ends this process with an exit code; a negative one is the number of a signal."""
    if code < 0:
        signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
        os.kill(os.getpid(), -code)
    os._exit(code)
