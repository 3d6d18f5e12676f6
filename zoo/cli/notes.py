"""Data statistics, such as truncated texts, as lines on standard error."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from zoo.data_statistics import LOGGER


class NoteHandler(logging.Handler):
    """Prints log records to standard error, each once, apart from results on standard output."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if message in self._shown:
            return
        self._shown.add(message)
        # Looked up each time, because sys.stderr may have been replaced.
        print(f"note: {message}", file=sys.stderr, flush=True)


@contextmanager
def notes_shown() -> Iterator[None]:
    """Prints the data statistics that are logged in the block."""
    handler, propagate, level = NoteHandler(), LOGGER.propagate, LOGGER.level
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    LOGGER.propagate = False  # libraries may add a handler to the root logger
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.setLevel(level)
        LOGGER.propagate = propagate
