"""What was cut, skipped or unknown, as lines on standard error."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from zoo.data_statistics import LOGGER


class NoteHandler(logging.Handler):
    """Prints each note behind the word "note"; results on standard output stay by themselves."""

    def emit(self, record: logging.LogRecord) -> None:
        # The stream as it is now: it may have been replaced since the program began.
        print(f"note: {record.getMessage()}", file=sys.stderr, flush=True)


@contextmanager
def notes_shown() -> Iterator[None]:
    """Shows the notes of what runs inside."""
    handler = NoteHandler()
    LOGGER.addHandler(handler)
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
