"""Transcripts beside what a model writes, those that differ most first."""

from contextlib import suppress
from difflib import SequenceMatcher

import numpy as np

from zoo.errors import UserError
from zoo.metrics.texts import TextRows
from zoo.registry.metrics import TRANSCRIPTS
from zoo.tasks.answered import Answered
from zoo.tasks.parts import PreviewRow

LONGEST = 1000  # characters that are compared


def rows_of(answered: Answered, count: int) -> list[PreviewRow]:
    """Rows with transcripts: a half of those that differ most, then others; empty without such.

    Args:
        answered: The data with the answers to it.
        count: Maximum number of rows.
    """
    with suppress(UserError):  # data may have no transcripts
        judged = answered.judged
        if TRANSCRIPTS in judged and isinstance(rows := judged[TRANSCRIPTS](), TextRows):
            examples = answered.examples
            named = answered.task.parts.input.first_rows(examples, len(examples))
            return [
                PreviewRow(
                    named[number].name,
                    rows.predictions[number],
                    rows.references[number][0],
                    named[number].data,
                )
                for number in chosen(rows, count)
            ]
    return []


def chosen(rows: TextRows, count: int) -> list[int]:
    """The numbers of rows: a half of those that differ most, then the first others.

    Formula: `d = 1 - 2 M / (|text| + |reference|)`, M the number of characters that match
    Source: Ratcliff & Metzener 1988 (Gestalt pattern matching), as Python's difflib computes it.

    Example:
        >>> rows = TextRows([["one"], ["two"], ["ten"], ["six"]], ["one", "to", "abc", "six"])
        >>> chosen(rows, 3)
        [2, 0, 1]
    """
    pairs = zip(rows.predictions, (texts[0] for texts in rows.references), strict=True)
    different = np.array([_difference(*pair) for pair in pairs])
    order = np.argsort(-different, kind="stable")
    worst = [number for number in order[: count // 2].tolist() if different[number] > 0]
    others = [number for number in range(len(rows)) if number not in worst]
    return [*worst, *others[: count - len(worst)]]


def _difference(text: str, reference: str) -> float:
    if text == reference:
        return 0.0
    pair = text[:LONGEST], reference[:LONGEST]
    return 1 - SequenceMatcher(None, *pair, autojunk=False).ratio()
