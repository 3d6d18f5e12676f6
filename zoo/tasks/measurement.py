"""The measurement: the metrics of the answers of a model, their intervals, and differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from zoo.errors import UserError
from zoo.metrics.measure import Measures, Rows, value_of
from zoo.metrics.resampling import SEED, Difference, difference, interval, resampled

V = TypeVar("V", float, np.ndarray)


@dataclass(frozen=True)
class Mean:
    """A metric that is the mean of others.

    Args:
        name: Its name.
        of: The names of the others.

    Example:
        >>> Mean("mean_f1", ["names_f1", "places_f1"]).added({"names_f1": 0.5, "places_f1": 1.0})
        {'names_f1': 0.5, 'places_f1': 1.0, 'mean_f1': 0.75}
    """

    name: str
    of: Sequence[str]

    def added(self, values: Mapping[str, V]) -> dict[str, V]:
        """Values by name with the mean behind them, if all that it is of are there."""
        if not self.of or not values.keys() >= {*self.of}:
            return dict(values)
        total = values[self.of[0]]
        for name in self.of[1:]:
            total = total + values[name]
        return {**values, self.name: total / len(self.of)}


@dataclass(frozen=True)
class Measured:
    """Metrics of answers of one kind.

    Args:
        answers: The answers.
        measures: The metrics by name.
        seed: Random seed of the resamples.
    """

    answers: Rows
    measures: Measures
    seed: int = SEED

    @property
    def values(self) -> dict[str, float]:
        """The value of each metric on all rows."""
        rows = len(self.answers)
        return {name: value_of(measure, rows) for name, measure in self.measures.items()}

    def named(self, names: Sequence[str]) -> Measures:
        """The metrics with some names; none of a single row, which has no resamples."""
        if len(self.answers) < 2:
            return {}
        return {name: measure for name, measure in self.measures.items() if name in names}


@dataclass(frozen=True)
class Measurement:
    """Metrics of all kinds of answers of a model.

    Args:
        parts: Those of each kind.
        mean: The metric that is the mean of others, if there is one.
    """

    parts: Sequence[Measured]
    mean: Mean | None = None

    @cached_property
    def values(self) -> dict[str, float]:
        """The value of each metric."""
        return self._with_mean([part.values for part in self.parts])

    @property
    def main(self) -> str:
        """The most important metric: the mean, or else the first one."""
        names = [*self.values]
        return self.mean.name if self.mean is not None and self.mean.name in names else names[0]

    def intervals(self, names: Sequence[str]) -> dict[str, tuple[float, float]]:
        """The 95 % intervals of metrics by name; of a single row there are none."""
        every = self._names(names)
        sampled = self._with_mean(
            [
                resampled([part.named(every)], len(part.answers), part.seed)[0]
                for part in self.parts
                if part.named(every)
            ]
        )
        return {name: interval(sampled[name]) for name in names if name in sampled}

    def compared(
        self,
        other: "Measurement",
        more_rows: str = "give more rows",
        names: Sequence[str] | None = None,
    ) -> dict[str, Difference]:
        """The metrics of two models on the same rows.

        Args:
            other: The metrics of the other model.
            more_rows: What to do if there is a single row, in words.
            names: Names of the metrics, which take time; all of both if None.

        Raises:
            UserError: If the correct answers differ, or there is a single row only.
        """
        if [p.answers.expected for p in self.parts] != [p.answers.expected for p in other.parts]:
            raise UserError(
                "the runs cannot be compared row by row: with their columns, tokenizers or "
                "settings, the data have other correct answers"
            )
        wanted = self.values if names is None else names
        shared = [name for name in self.values if name in other.values and name in wanted]
        every, ours, theirs = self._names(shared), [], []
        for one, two in zip(self.parts, other.parts, strict=True):
            both = one.named(every), two.named(every)
            if both[0]:
                first, second = resampled([*both], len(one.answers), one.seed)
                ours.append(first)
                theirs.append(second)
        if not ours:
            raise UserError(f"the runs cannot be compared on a single row: {more_rows}")
        first, second = self._with_mean(ours), self._with_mean(theirs)
        return {
            name: difference(self.values[name], other.values[name], first[name], second[name])
            for name in shared
            if name in first
        }

    def _names(self, names: Sequence[str]) -> list[str]:
        """The names, and those of what the mean is of, if it is among them."""
        return [*names, *(self.mean.of if self.mean and self.mean.name in names else ())]

    def _with_mean(self, parts: Sequence[Mapping[str, V]]) -> dict[str, V]:
        values = {name: value for part in parts for name, value in part.items()}
        return self.mean.added(values) if self.mean else values
