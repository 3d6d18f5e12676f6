"""Data statistics, such as truncated texts, as lines on standard error."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from zoo.data_statistics import LOGGER


class NoteHandler(logging.Handler):
    """Prints log records to standard error, apart from the results on standard output."""

    def emit(self, record: logging.LogRecord) -> None:
        # Looked up each time, because sys.stderr may have been replaced.
        print(f"note: {record.getMessage()}", file=sys.stderr, flush=True)


@contextmanager
def notes_shown() -> Iterator[None]:
    """Prints the data statistics that are logged in the block."""
    handler, propagate = NoteHandler(), LOGGER.propagate
    LOGGER.addHandler(handler)
    LOGGER.propagate = False  # libraries may add a handler to the root logger
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.propagate = propagate
