"""Parts of the training data that are held out for validation: a fraction, or a fold."""

import random
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Self, TypeVar

from zoo.errors import UserError

Row = TypeVar("Row", bound=Hashable)

_WRITTEN = re.compile(r"fold (\d{1,9}) of (\d{1,9})")


@dataclass(frozen=True)
class Fold:
    """One of several parts of the training data, each of which is held out once.

    Source: Stone 1974, cross-validation; of series, Tashman 2000, section 2, rolling origins.

    Args:
        index: Which part it is, from 1.
        count: The number of parts, at least 2.

    Raises:
        UserError: If there is no such part.

    Example:
        >>> str(Fold(2, 5)), Fold.parse("fold 2 of 5") == Fold(2, 5)
        ('fold 2 of 5', True)
    """

    index: int
    count: int

    def __post_init__(self) -> None:
        if self.count < 2 or not 1 <= self.index <= self.count:
            raise UserError(
                f"there is no fold {self.index} of {self.count}: give at least 2 folds, and an "
                "index from 1 to their number"
            )

    def __str__(self) -> str:
        return f"fold {self.index} of {self.count}"

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """The fold that `str` wrote; None of another text."""
        match = _WRITTEN.fullmatch(text)
        return None if match is None else cls(int(match[1]), int(match[2]))


Part = float | Fold  # of the training data


def check_part(part: Part) -> None:
    """Raises a `UserError` unless a fraction is between 0 and 1."""
    if isinstance(part, bool) or not (isinstance(part, Fold) or 0 < part < 1):
        raise UserError(f"the validation fraction must be above 0 and below 1, got {part}")


def named(part: Part) -> str:
    """A part in messages.

    Example:
        >>> named(0.1), named(Fold(1, 3))
        ('10%', 'fold 1 of 3')
    """
    return str(part) if isinstance(part, Fold) else f"{part:.0%}"


def held_rows(rows: Sequence[Row], part: Part, seed: int, path: str, what: str) -> set[Row]:
    """The rows to hold out, at random; those of the folds of a seed are apart, and all rows.

    Args:
        rows: Different rows.
        part: The fraction, or the fold.
        seed: Random seed.
        path: The name of the data, for messages.
        what: What the rows are, in the plural.

    Raises:
        UserError: If there are too few rows.
    """
    check_part(part)
    if isinstance(part, Fold):
        count, enough = len(rows), len(rows) >= part.count
    else:
        count = max(1, round(part * len(rows)))
        enough = count < len(rows)
    if not enough:
        raise UserError(f"{path} has too few {what} to hold out {named(part)} for validation")
    drawn = random.Random(seed).sample(rows, count)
    return set(drawn[part.index - 1 :: part.count] if isinstance(part, Fold) else drawn)
