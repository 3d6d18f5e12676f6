"""Data statistics: counts of truncated texts, skipped rows and unknown tokens, logged in one line.

The line is logged to the logger "keras_attn", which the command line prints to standard error, and
which Python's `logging` can configure. Training writes the same counts to its `log.txt`.
"""

import logging
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

Statistics = Counter[str]  # what happened -> how often

LOGGER = logging.getLogger("keras_attn")

_collected: ContextVar[Statistics | None] = ContextVar("collected", default=None)


@lru_cache(maxsize=1 << 10)
def warn_once(message: str) -> None:
    """Warns of what is seen again and again, as where a file is opened several times."""
    LOGGER.warning(message)


def counted(count: int, things: str) -> str:
    """A number and what it counts, in the singular for one.

    Args:
        count: The number.
        things: What it counts; the first word in the plural, with an s or ches, is the noun, or it
            is "series".

    Example:
        >>> counted(1, "blank lines skipped"), counted(3, "batches"), counted(1, "series")
        ('1 blank line skipped', '3 batches', '1 series')
    """
    if count == 1 and not things.startswith("series"):
        things = re.sub(r"(?<=ch)es\b|s\b", "", things, count=1)
    return f"{count} {things}"


def describe(statistics: Statistics) -> list[str]:
    """The counts in words, without zero counts.

    Example:
        >>> describe(Statistics({"texts truncated to 9 tokens": 2, "unknown tokens": 0}))
        ['2 texts truncated to 9 tokens']
    """
    return [counted(count, what) for what, count in statistics.items() if count]


def with_statistics(facts: str, statistics: Statistics) -> str:
    """A log line: facts, followed by the statistics.

    Example:
        >>> with_statistics("test.tsv: 9 pairs", Statistics({"blank lines skipped": 2}))
        'test.tsv: 9 pairs; 2 blank lines skipped'
    """
    return "; ".join([facts, *describe(statistics)])


@contextmanager
def collecting(source: str) -> Iterator[None]:
    """Collects what `record` reports in the block and logs it as one line at the end.

    If blocks are nested, only the outermost logs, so that there is one line for each file or call.

    Args:
        source: Beginning of the line, such as the name of a file.

    Example:
        >>> with collecting("test.tsv"):
        ...     with collecting("predict"):
        ...         record(Statistics({"unknown tokens": 0}))
    """
    if _collected.get() is not None:
        yield
        return
    statistics = Statistics()
    before = _collected.set(statistics)
    try:
        yield
    finally:
        _collected.reset(before)
        if describe(statistics):
            LOGGER.warning("%s: %s", source, "; ".join(describe(statistics)))


@contextmanager
def discarding() -> Iterator[None]:
    """Discards what `record` reports in the block.

    Example:
        >>> with collecting("test.tsv"), discarding():
        ...     record(Statistics({"unknown tokens": 3}))
    """
    before = _collected.set(Statistics())
    try:
        yield
    finally:
        _collected.reset(before)


@contextmanager
def recording() -> Iterator[None]:
    """Records what `record` reports in the block once it is done; of an error, nothing.

    Example:
        >>> with collecting("test.tsv"), recording():
        ...     record(Statistics({"unknown tokens": 0}))
    """
    own = Statistics()
    before = _collected.set(own)
    try:
        yield
    finally:
        _collected.reset(before)
    record(own)


def record(statistics: Statistics) -> None:
    """Adds counts to the surrounding `collecting` block; without one, logs them at once."""
    collected = _collected.get()
    if collected is not None:
        collected.update(statistics)
    elif describe(statistics):
        LOGGER.warning("; ".join(describe(statistics)))
