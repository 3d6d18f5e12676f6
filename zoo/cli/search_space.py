"""The options that a search tries: their values, and how one is drawn."""

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from zoo.cli.derived import name_and_value
from zoo.errors import UserError

if TYPE_CHECKING:
    import optuna

OPTION = "--search"
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
RANGE = re.compile(rf"({NUMBER})\.\.({NUMBER})")
LOGARITHMIC = 10.0  # a range of positive numbers that spans this factor is searched on a log scale


class Dimension(Protocol):
    """An option with the values that are tried."""

    @property
    def name(self) -> str: ...
    def draw(self, trial: "optuna.Trial") -> Any:
        """A value for a trial."""


@dataclass(frozen=True)
class Choices:
    """An option with some values.

    Args:
        name: The name of the option.
        values: The values, at least two.
    """

    name: str
    values: Sequence[Any]

    def draw(self, trial: "optuna.Trial") -> Any:
        # Optuna takes numbers, texts and truth values; lists are drawn by their place.
        return self.values[trial.suggest_categorical(self.name, [*range(len(self.values))])]


@dataclass(frozen=True)
class Range:
    """An option with a range of numbers.

    Args:
        name: The name of the option.
        low: The least number.
        high: The greatest one.
    """

    name: str
    low: float
    high: float

    @property
    def is_logarithmic(self) -> bool:
        """Whether numbers are drawn on a log scale."""
        return self.low > 0 and self.high / self.low >= LOGARITHMIC

    def draw(self, trial: "optuna.Trial") -> Any:
        if isinstance(self.low, int) and isinstance(self.high, int):
            return trial.suggest_int(self.name, self.low, self.high, log=self.is_logarithmic)
        drawn = trial.suggest_float(self.name, self.low, self.high, log=self.is_logarithmic)
        return float(f"{drawn:.4g}")  # the others mean nothing


def space_of(given: Sequence[str], fixed: Collection[str]) -> list[Dimension]:
    """The dimensions of `--search`, each of which is another option.

    Args:
        given: What was given.
        fixed: The names of the options that have a value.

    Raises:
        UserError: If an option is searched twice, has a value, or has nothing to choose.
    """
    space = [dimension_of(text) for text in given]
    names = [each.name for each in space]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UserError(f"{OPTION} has {twice} twice: give all of its values at once")
    both = next((name for name in names if name in fixed), None)
    if both is not None:
        raise UserError(f"{both} is given and searched for: leave out one of them")
    return space


def dimension_of(text: str) -> Dimension:
    """The dimension of `NAME=LOW..HIGH` or `NAME=VALUE,VALUE`.

    Raises:
        UserError: If it is neither, or there is nothing to choose.

    Example:
        >>> dimension_of("learning-rate=1e-4..1e-2")
        Range(name='learning_rate', low=0.0001, high=0.01)
        >>> dimension_of("dropout=0,0.1,0.3").values, dimension_of("layers=2..6").high
        ([0, 0.1, 0.3], 6)
    """
    name, _ = name_and_value(OPTION, text)
    written = text.partition("=")[2]
    name = name.removeprefix("--").replace("-", "_")
    if match := RANGE.fullmatch(written):
        low, high = (_number(each) for each in match.groups())
        if not low < high or not math.isfinite(high - low):
            raise UserError(f"{OPTION} {text}: the range must go from a number to a greater one")
        return Range(name, low, high)
    values = [name_and_value(OPTION, f"{name}={each}")[1] for each in written.split(",")]
    if len(values) < 2 or len({repr(each) for each in values}) < len(values):
        raise UserError(
            f"{OPTION} {text}: give a range, such as learning-rate=1e-4..1e-2, or several "
            "different values, such as dropout=0,0.1"
        )
    return Choices(name, values)


def _number(text: str) -> float:
    try:
        return int(text)
    except ValueError:
        return float(text)
