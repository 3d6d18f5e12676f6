"""Pairs of texts in the forms that people give them."""

from collections.abc import Sequence
from pathlib import Path

from zoo.data.pairs import FORM, Pairs, read_pairs
from zoo.data.rows import given_rows
from zoo.errors import UserError

Data = str | Path | Sequence[tuple[str, str]]


def as_pairs(data: Data) -> Pairs:
    """The pairs of a file, or those given.

    Raises:
        DataError: At the first row that is no pair, or has an empty text.
        UserError: If there are none, or the file is not one of pairs.
    """
    if isinstance(data, (str, Path)):
        return read_pairs(data)
    rows = given_rows(data, "pairs in memory", [FORM])
    if not rows:
        raise UserError("there are no pairs")
    sources, targets = (list(column) for column in zip(*(cells for _, cells in rows), strict=True))
    return Pairs("pairs in memory", sources, targets, blank_lines=0)
