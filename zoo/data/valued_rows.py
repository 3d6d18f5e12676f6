"""Rows with one value or several, whatever the rows are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ValuedRows:
    """Base of rows with values.

    Args:
        values: The values of each row, one for each of the names.
        names: The names of the values.
    """

    values: list[tuple[float, ...]]
    names: list[str]

    @property
    def answers(self) -> dict[str, list[Any]]:
        """The values of each row, as the base of the rows takes them."""
        return {"values": self.values}

    @property
    def value_facts(self) -> str:
        """The range of each value, for the log."""
        return f"values: {ranges(self.names, self.values)}"


def ranges(names: Sequence[str], values: Sequence[Sequence[float]]) -> str:
    """The range of each value, for the log.

    Example:
        >>> ranges(["price", "stars"], [(10.0, 2.0), (30.0, 5.0)])
        'price 10 to 30, stars 2 to 5'
    """
    columns = zip(names, zip(*values, strict=True), strict=True)
    return ", ".join(f"{name} {min(x):.4g} to {max(x):.4g}" for name, x in columns)
