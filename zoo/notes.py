"""What is lost of people's texts on the way to a model: counted, and told in one line.

The line goes to the logger "keras_attn": the command line shows it on standard error, and Python's
`logging` sends it wherever one likes. Training writes the same counts into its `log.txt`.
"""

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Lost = Counter[str]  # by what became of them, how many

LOGGER = logging.getLogger("keras_attn")

_around: ContextVar[Lost | None] = ContextVar("around", default=None)


def told(lost: Lost) -> list[str]:
    """The counts in words, those of 0 left out.

    Example:
        >>> told(Lost({"texts cut to 9 tokens": 2, "unknown tokens": 0}))
        ['2 texts cut to 9 tokens']
    """
    return [f"{count} {what}" for what, count in lost.items() if count]


def with_lost(facts: str, lost: Lost) -> str:
    """A line of a log: facts, and behind them what was lost.

    Example:
        >>> with_lost("test.tsv: 9 pairs", Lost({"blank lines skipped": 2}))
        'test.tsv: 9 pairs; 2 blank lines skipped'
    """
    return "; ".join([facts, *told(lost)])


@contextmanager
def noting(source: str) -> Iterator[None]:
    """Logs at its end what `note` was told inside, if anything; within another, that one does.

    So each caller's texts have one line: a file that is scored, whatever predicts from it.

    Args:
        source: What the line begins with, such as the name of a file.

    Example:
        >>> with noting("test.tsv"):
        ...     with noting("predict"):
        ...         note(Lost({"unknown tokens": 0}))
    """
    if _around.get() is not None:
        yield
        return
    lost = Lost()
    before = _around.set(lost)
    try:
        yield
    finally:
        _around.reset(before)
        if told(lost):
            LOGGER.warning("%s: %s", source, "; ".join(told(lost)))


def note(lost: Lost) -> None:
    """Adds counts to those of the `noting` around it; without one, logs them by themselves."""
    around = _around.get()
    if around is not None:
        around.update(lost)
    elif told(lost):
        LOGGER.warning("; ".join(told(lost)))
