"""Parts of the training data that are held out for validation: a fraction, or a fold."""

import random
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, TypeVar

from zoo.errors import UserError

if TYPE_CHECKING:
    import numpy as np

Row = TypeVar("Row", bound=Hashable)

_WRITTEN = re.compile(r"fold (\d{1,9}) of (\d{1,9})")


class Cut(NamedTuple):
    """The last forecasts of a series that are held out: how many, and the index of their end."""

    forecasts: int
    end: int


class Part(Protocol):
    """A part of the training data that is held out; `str` names it in messages."""

    @property
    def in_order(self) -> str:
        """Its name, of data in an order."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Where it begins and ends in data in an order, of which the end is 1."""

    def fits(self, rows: int) -> bool:
        """Whether so many rows are enough."""

    def draw(self, rows: Sequence[Row], generator: random.Random) -> list[Row]:
        """Its rows, at random."""

    def below(self, numbers: "np.ndarray", among: "np.ndarray") -> "np.ndarray":
        """Its nodes by a random number of each, (N,) of booleans, of those that are `among`."""

    def cut(self, length: int, horizon: int) -> Cut:
        """Its forecasts of a series of so many values; none if it is too short."""

    def shortest(self, horizon: int) -> int:
        """The number of values of a series that is just too short."""


@dataclass(frozen=True)
class Share:
    """A fraction of the training data; of data in an order, the end.

    Args:
        fraction: The fraction, above 0 and below 1.

    Raises:
        UserError: If it is not.

    Example:
        >>> str(Share(0.1)), Share(0.1).in_order
        ('10%', 'the last 10%')
    """

    fraction: float

    def __post_init__(self) -> None:
        if isinstance(self.fraction, bool) or not 0 < self.fraction < 1:
            raise UserError(
                f"the validation fraction must be above 0 and below 1, got {self.fraction}"
            )

    def __str__(self) -> str:
        return f"{self.fraction:.0%}"

    @property
    def in_order(self) -> str:
        return f"the last {self}"

    @property
    def bounds(self) -> tuple[float, float]:
        return 1 - self.fraction, 1.0

    def fits(self, rows: int) -> bool:
        return self._count(rows) < rows

    def draw(self, rows: Sequence[Row], generator: random.Random) -> list[Row]:
        return generator.sample(rows, self._count(len(rows)))

    def below(self, numbers: "np.ndarray", among: "np.ndarray") -> "np.ndarray":
        below: np.ndarray = numbers < self.fraction
        return below

    def cut(self, length: int, horizon: int) -> Cut:
        many = max(1, round(self.fraction * length) // horizon)
        return Cut(many if length > self.shortest(horizon) else 0, length)

    def shortest(self, horizon: int) -> int:
        return 2 * horizon

    def _count(self, rows: int) -> int:
        return max(1, round(self.fraction * rows))


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

    @property
    def in_order(self) -> str:
        return str(self)

    @property
    def bounds(self) -> tuple[float, float]:
        return (self.index - 1) / self.count, self.index / self.count

    def fits(self, rows: int) -> bool:
        return rows >= self.count

    def draw(self, rows: Sequence[Row], generator: random.Random) -> list[Row]:
        return generator.sample(rows, len(rows))[self.index - 1 :: self.count]

    def below(self, numbers: "np.ndarray", among: "np.ndarray") -> "np.ndarray":
        import numpy as np  # the command line imports this file without it

        order = np.empty(len(numbers), int)
        order[np.argsort(np.where(among, numbers, 2.0))] = np.arange(len(numbers))
        return np.asarray(order % self.count == self.index - 1)

    def cut(self, length: int, horizon: int) -> Cut:
        forecasts = length // (self.count + 1) // horizon
        return Cut(forecasts, length - (self.count - self.index) * forecasts * horizon)

    def shortest(self, horizon: int) -> int:
        return (self.count + 1) * horizon - 1


def part_of(given: Part | float) -> Part:
    """A part, which may be given as a fraction.

    Raises:
        UserError: If the fraction is not between 0 and 1.
    """
    return Share(given) if isinstance(given, float | int) else given


def held_rows(
    rows: Sequence[Row], given: Part | float, seed: int, path: str, what: str
) -> set[Row]:
    """The rows to hold out, at random; those of the folds of a seed are apart, and all rows.

    Args:
        rows: Different rows.
        given: The part, or the fraction.
        seed: Random seed.
        path: The name of the data, for messages.
        what: What the rows are, in the plural.

    Raises:
        UserError: If there are too few rows.
    """
    part = part_of(given)
    if not part.fits(len(rows)):
        raise UserError(f"{path} has too few {what} to hold out {part} for validation")
    return set(part.draw(rows, random.Random(seed)))
