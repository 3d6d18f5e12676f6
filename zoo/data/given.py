"""Pairs of texts in the forms that people give them."""

from collections.abc import Sequence
from pathlib import Path

from zoo.data.pairs import Pairs, read_pairs
from zoo.errors import UserError

Data = str | Path | Sequence[tuple[str, str]]


def as_pairs(data: Data) -> Pairs:
    """The pairs of a file, or those given.

    Raises:
        UserError: If there are none, or the file is not one of pairs.
    """
    if isinstance(data, (str, Path)):
        return read_pairs(data)
    sources, targets = ([str(pair[i]) for pair in data] for i in (0, 1))
    if not sources:
        raise UserError("there are no pairs")
    return Pairs("pairs in memory", sources, targets, blank_lines=0)
