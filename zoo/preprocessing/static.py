"""Static covariates of series as numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from zoo.errors import UserError

MOST = 100  # maximum number of categories of a column
WIDTH_OF_NUMBER = 2  # the standardized number, and whether it is there


@dataclass(frozen=True)
class StaticColumn:
    """How one static covariate becomes numbers: standardized, or as one 0 or 1 for each category.

    Args:
        name: Name of the column.
        categories: The categories, sorted; None for a column of numbers.
        mean: Mean of the numbers.
        scale: Standard deviation of the numbers.

    Example:
        >>> column = StaticColumn.of("city", ["Rome", "Bonn", "Rome"])
        >>> column.encode("Rome"), column.encode("Oslo")
        ([0.0, 1.0], [0.0, 0.0])
    """

    name: str
    categories: list[str] | None
    mean: float = 0.0
    scale: float = 1.0

    @classmethod
    def of(cls, name: str, cells: Sequence[str]) -> Self:
        """The encoding of a column like this one.

        Raises:
            UserError: If it has too many categories.
        """
        there = [cell for cell in cells if cell]
        try:
            numbers = np.array(there, "float64")
        except ValueError:
            categories = sorted(set(there))
            if len(categories) > MOST:
                raise UserError(
                    f"the static covariate {name} has {len(categories)} different values; "
                    f"expected numbers or at most {MOST} categories"
                ) from None
            return cls(name, categories)
        if not len(numbers) or not np.isfinite(numbers).all():
            raise UserError(f"the static covariate {name} must have finite numbers or categories")
        return cls(name, None, float(numbers.mean()), float(numbers.std()) or 1.0)

    @property
    def width(self) -> int:
        """How many numbers it becomes."""
        return WIDTH_OF_NUMBER if self.categories is None else len(self.categories)

    def encode(self, cell: str) -> list[float]:
        """One cell as numbers; 0 for a missing one and for an unknown category.

        Raises:
            UserError: If the cell is no number although those of the training data were.
        """
        if self.categories is not None:
            return [float(cell == each) for each in self.categories]
        if not cell:
            return [0.0, 0.0]
        try:
            return [(float(cell) - self.mean) / self.scale, 1.0]
        except ValueError:
            message = f"the static covariate {self.name} must be a number, got {cell!r:.40}"
            raise UserError(message) from None


def encode_static(columns: Sequence[StaticColumn], rows: Sequence[Any]) -> np.ndarray:
    """The static covariates of series as numbers, (N, S).

    Args:
        columns: The encoding of each column.
        rows: For each series the cells of its columns.
    """
    width = sum(column.width for column in columns)
    encoded = np.zeros((len(rows), width), "float32")
    for number, cells in enumerate(rows):
        pairs = zip(columns, cells, strict=True)
        encoded[number] = [x for column, cell in pairs for x in column.encode(cell)]
    return encoded
