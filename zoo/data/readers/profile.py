"""Profiles of columns: whether cells are texts, categories, numbers or identifiers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from zoo.data.readers.numbers import is_written_number

ENOUGH = 10  # minimum number of rows to classify a column
IDENTIFIER = re.compile(r"\d+|(?=\S*\d)[\w.:/-]+")  # a number, or a token with a digit in it

FLAGS = {"true": True, "false": False, "yes": True, "no": False}
FLAGS |= {word[0]: said for word, said in FLAGS.items()}


@dataclass(frozen=True)
class Profile:
    """Facts about the cells of a column.

    Args:
        rows: Number of cells.
        distinct: Number of different cells.
        characters: Mean number of characters.
        words: Mean number of words.
        numbers: Share of cells that are numbers.
        identifiers: Share of cells that are a number or one token with a digit in it.
        fractions: Share of cells that are numbers with a point or a comma.
    """

    rows: int
    distinct: int
    characters: float
    words: float
    numbers: float
    identifiers: float
    fractions: float

    @classmethod
    def of(cls, cells: Sequence[str]) -> Self:
        """Computes the profile of cells; blank cells are ignored.

        Example:
            >>> Profile.of(["good", "bad", "good"]).distinct
            2
        """
        cells = [cell.strip() for cell in cells if cell.strip()]
        rows = max(len(cells), 1)
        return cls(
            len(cells),
            len(set(cells)),
            sum(map(len, cells)) / rows,
            sum(len(cell.split()) for cell in cells) / rows,
            sum(map(is_written_number, cells)) / rows,
            sum(bool(IDENTIFIER.fullmatch(cell)) for cell in cells) / rows,
            sum(("." in x or "," in x) and is_written_number(x) for x in cells) / rows,
        )

    @property
    def is_identifier(self) -> bool:
        """Whether the cells are distinct identifiers of the rows."""
        varied = self.rows >= ENOUGH and self.distinct == self.rows
        return varied and self.identifiers == 1 and not self.is_measured

    @property
    def is_measured(self) -> bool:
        """Whether the cells are numbers, some of them with decimals: no identifiers."""
        return self.numbers == 1 and self.fractions > 0

    @property
    def is_categorical(self) -> bool:
        """Whether the cells are a few short values that repeat."""
        few = self.distinct <= max(2, self.rows // 5)
        return self.rows >= ENOUGH and few and self.characters <= 50 and self.words <= 5

    @property
    def is_text(self) -> bool:
        """Whether the cells are texts: words, and mostly distinct."""
        varied = self.distinct > self.rows // 2
        return self.rows >= ENOUGH and varied and self.identifiers < 0.5 and self.numbers < 0.5


def is_number(cell: str) -> bool:
    """Whether a cell is a number.

    Example:
        >>> is_number("-1.5e3"), is_number("v2")
        (True, False)
    """
    try:
        float(cell)
    except ValueError:
        return False
    return True


def flag_of(cell: str) -> bool | None:
    """What a cell of two values says: 0 or 1, or words such as true or false; None for another.

    Example:
        >>> flag_of("1"), flag_of("0.0"), flag_of("Yes"), flag_of("FALSE"), flag_of("2")
        (True, False, True, False, None)
    """
    if (word := cell.strip().lower()) in FLAGS:
        return FLAGS[word]
    return bool(float(cell)) if is_number(cell) and float(cell) in (0, 1) else None


def is_flag(cell: str) -> bool:
    """Whether a cell says yes or no.

    Example:
        >>> is_flag("1"), is_flag("no"), is_flag("2")
        (True, True, False)
    """
    return flag_of(cell) is not None
