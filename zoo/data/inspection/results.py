"""The results of an inspection: all that is known of a data file."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.data.readers.numbers import is_missing, read_numbers
from zoo.data.readers.profile import Profile
from zoo.data.readers.role_columns import ENOUGH
from zoo.data.series.dates import are_dates

Options = dict[str, Any]  # by name, such as `label_column`
TRIED = 20  # first cells that show dates
UNEVEN = 0.8  # least share of the most frequent label that is worth a hint
VALUES = 10  # maximum number of listed values of a column


@dataclass(frozen=True)
class ColumnFacts:
    """Facts about a column.

    Args:
        name: Name of the column, or its number.
        kind: "text", "label", "number", "identifier", "date" or "unknown".
        distinct: Number of distinct cells.
        empty: Number of empty cells.
        characters: Mean number of characters.
        longest: Maximum number of characters.
        values: For labels, the most frequent values and their counts.
        range: For numbers, the cells with the smallest and the largest one.
    """

    name: str
    kind: str
    distinct: int
    empty: int
    characters: float
    longest: int
    values: dict[str, int]
    range: tuple[str, str] | None = None

    @classmethod
    def of(cls, name: str, cells: Sequence[str]) -> "ColumnFacts":
        """Computes the facts about a column from its cells.

        Example:
            >>> ColumnFacts.of("age", ["7", "29", ""] * 8).kind
            'label'
        """
        profile = Profile.of(cells)
        kinds = {
            "date": profile.rows > 0 and are_dates(cells[:TRIED]),
            "identifier": profile.is_identifier,
            "label": profile.is_categorical,
            "number": profile.numbers == 1,
            "text": profile.is_text or 0 < profile.rows < ENOUGH,
        }
        kind = next((kind for kind, fits in kinds.items() if fits), "unknown")
        counts = Counter(cell for cell in cells if cell.strip())
        return cls(
            name,
            kind,
            profile.distinct,
            len(cells) - profile.rows,
            profile.characters,
            max(map(len, cells), default=0),
            dict(counts.most_common(VALUES)) if kind == "label" else {},
            _range(cells) if kind == "number" else None,
        )


def _range(cells: Sequence[str]) -> tuple[str, str] | None:
    """The cells with the smallest and the largest number.

    Example:
        >>> _range(["1,5", "", "-2,25", "0,5"])
        ('-2,25', '1,5')
    """
    given = [cell.strip() for cell in cells if not is_missing(cell)]
    numbers = read_numbers("", given, {})
    if not len(given) or np.isnan(numbers).all():
        return None
    return given[int(np.nanargmin(numbers))], given[int(np.nanargmax(numbers))]


@dataclass(frozen=True)
class Fit:
    """A task that can be trained on a data file, and the options that it needs."""

    task: str
    options: Options


@dataclass(frozen=True)
class Inspection:
    """Facts about a data file.

    Args:
        path: The file.
        rows: Number of valid rows: rows of a table, documents or sentences.
        header: Whether the file has a header; None if it is not a table.
        columns: The columns of a table.
        bad: The invalid rows, as "line: reason"; of a table of texts, also those that its first
            task skips, such as one without a translation.
        blank: Number of blank lines.
        duplicates: Number of rows that repeat an earlier row.
        overlap: Number of validation rows that are also training rows; None without validation
            data.
        fits: The tasks that fit the data, the likeliest first.
        understood: What the first task would read, or why no task fits.
        texts: The texts that the first task would read.
        has_validation: Whether the data says what to validate with, as graphs may.
    """

    path: str
    rows: int
    header: bool | None
    columns: list[ColumnFacts]
    bad: list[str]
    blank: int
    duplicates: int
    overlap: int | None
    fits: list[Fit]
    understood: str
    texts: list[str]
    has_validation: bool = False

    @property
    def uneven_labels(self) -> dict[str, tuple[str, float]]:
        """The columns whose rows nearly all have one label: that label, and its share."""
        found: dict[str, tuple[str, float]] = {}
        for each in self.columns:
            label, count = next(iter(each.values.items()), ("", 0))
            if count < UNEVEN * (self.rows - each.empty) or each.distinct < 2:
                continue
            found[each.name] = label, count / (self.rows - each.empty)
        return found

    @property
    def task(self) -> str | None:
        """The name of the first task that fits, or None."""
        return self.fits[0].task if self.fits else None
