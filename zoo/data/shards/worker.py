"""A process that tokenizes pieces of data and writes them as shards, which it does not commit."""

import os
import signal
import threading
from collections.abc import Callable
from multiprocessing import parent_process
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from zoo.data.shards.preparable import Preparable
from zoo.data.shards.shard import write_shard

_task: Preparable | None = None


def start(load_task: Callable[[Path], Preparable], folder: str) -> None:
    """Begins a process, which ends when the one that started it does, and leaves Ctrl-C to it."""
    global _task
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _task = load_task(Path(folder))


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def write(task: Preparable, folder: Path, number: int, piece: Any, scale: dict[str, float]) -> Path:
    """Tokenizes a piece, and writes it beside its place."""
    tokenized = task.tokenized(piece, number)
    return write_shard(folder, number, tokenized, task.tokenizer.vocabulary_size, scale)


def write_in_worker(folder: Path, number: int, piece: Any, scale: dict[str, float]) -> Path:
    """`write` with the task of this process."""
    assert _task is not None  # `start` loads it
    return write(_task, folder, number, piece, scale)
