"""A time series, and the series of a data set."""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from zoo.data.examples import ExampleRow
from zoo.data.held_out import Part, part_of
from zoo.data.in_memory import InMemory
from zoo.data.readers.source import DataSource
from zoo.data.series.clock import Clock
from zoo.data.series.windows import last_starts
from zoo.data_statistics import counted, with_statistics
from zoo.errors import UserError

VALUES, KNOWN, STATIC = "values", "known", "static"
NOTHING: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Series:
    """A time series at regular times.

    Args:
        values: The values (T, C) of its C targets, float32, NaN where missing.
        name: Its name.
        known: The covariates (T + F, K) that are known in the future, float32, NaN where missing;
            also those of F future steps. None without covariates.
        static: Its properties that do not change, as text; empty without such covariates.
        start: The first time, as the clock counts it.
    """

    values: np.ndarray
    name: str = "series"
    known: np.ndarray | None = None
    static: tuple[str, ...] = NOTHING
    start: int = 0

    def __len__(self) -> int:
        return len(self.values)

    def key(self) -> tuple[tuple[int, ...], bytes]:
        """Equal for series with equal values."""
        return self.values.shape, self.values.tobytes()


@dataclass(frozen=True)
class SeriesLayout:
    """How a table of series is written, besides the columns of values.

    Args:
        time: Name of the column of times; None if rows are numbered.
        series: Name of the column of the names of series; None if there is none.
        date_format: The format of times that the user gave, in the way of `strptime`.
        day_first: Whether the day is before the month; None where that could not be mistaken.
    """

    time: str | None = None
    series: str | None = None
    date_format: str | None = None
    day_first: bool | None = None


@dataclass(frozen=True)
class SeriesSet(InMemory):
    """Series to train or to evaluate on.

    Args:
        series: The series, at least one.
        targets: Names of the targets.
        known: Names of the covariates that are known in the future.
        static: Names of the static covariates.
        clock: The clock of all series.
        held_out: Number of last forecasts of each series to evaluate, one value for each series.
        horizon: Number of steps of a forecast.
        note: Which columns were read, for the log.
        layout: The columns of times and of names, and how dates are written.
    """

    series: list[Series]
    targets: list[str]
    known: list[str] = field(default_factory=list)
    static: list[str] = field(default_factory=list)
    clock: Clock = field(default_factory=Clock)
    held_out: list[int] = field(default_factory=list)
    horizon: int = 1
    note: str = ""
    layout: SeriesLayout = field(default_factory=SeriesLayout)

    @property
    def columns(self) -> dict[str, list[Series]]:
        return {"series": self.series}

    @property
    def inputs(self) -> dict[str, list[np.ndarray]]:
        return {VALUES: [each.values for each in self.series]}

    def cell_identity(self, cell: Series) -> Hashable:
        return cell.key()

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first series, of which the next values are unknown."""
        return [ExampleRow(each.name, each, None) for each in self.series[:count]]

    @property
    def forecasts(self) -> int:
        """The number of held-out forecasts that have values before them, and in them."""
        starts = (
            last_starts(each, len(each), self.horizon, count)
            for each, count in zip(self.series, self.held_out, strict=True)
        )
        return sum(map(len, starts))

    def with_forecasts(self, count: int) -> Self:
        """The series with the last forecasts of each to evaluate, unless there are some already.

        Args:
            count: The number of forecasts of each series.
        """
        if self.held_out:
            return self
        return replace(self, held_out=[count] * len(self.series))

    def split(self, part: Part | float, seed: int = 0) -> tuple[Self, Self]:
        """Holds out the last values of each series, as whole horizons.

        Args:
            part: The fraction of each series to hold out; at least one horizon of those that are
                longer than two. Of n folds, each has an (n + 1)-th of a series, in their order,
                and the training data are the values before it: nothing is learned from the
                future.
            seed: Ignored, since no choice is random.

        Raises:
            UserError: If every series is too short.
        """
        part = part_of(part)
        horizon = self.horizon
        cuts = [part.cut(len(each), horizon) for each in self.series]
        if not any(cut.forecasts for cut in cuts):
            short = f"{self.path} has no series of more than {part.shortest(horizon)} values"
            raise UserError(f"{short}, of which to hold out a horizon of {horizon} for validation")
        both = list(zip(self.series, cuts, strict=True))
        kept = [
            replace(each, values=each.values[: cut.end - cut.forecasts * horizon])
            for each, cut in both
        ]
        name = f"{part.in_order} of {self.path}"
        validation = replace(
            self,
            series=[replace(x, values=x.values[: cut.end]) for x, cut in both if cut.forecasts],
            held_out=[cut.forecasts for cut in cuts if cut.forecasts],
            path=name,
            note="",
            source=DataSource(),
        )
        return replace(self, series=kept), validation

    def __str__(self) -> str:
        values = sum(map(len, self.series))
        facts = f"{self.path}: {counted(len(self.series), 'series')} of {values:,} steps in all"
        if self.held_out:
            facts += f", {counted(self.forecasts, 'forecasts')} to evaluate"
        facts += f", {self.clock}"
        return with_statistics("; ".join(filter(None, [facts, self.note])), self.statistics)
