"""Forecasts of series with their times, to look at in a notebook or in a terminal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo import notebook
from zoo.data.series.clock import Clock
from zoo.data.series.forecasts import named_forecast, shown_time
from zoo.data.series.series import Series
from zoo.metrics.forecasts import middle
from zoo.notebook_chart import fan

BEFORE = 3  # times as many values are shown before a forecast as in it
DIGITS = 4  # of numbers of a table


@dataclass(frozen=True, eq=False)
class Forecast:
    """Quantiles of the next values of one series.

    Args:
        series: The series.
        quantiles: The quantiles (H, C, Q) of the next H values of C targets.
        clock: The clock of the series.
        targets: Names of the C targets.
        levels: Levels of the Q quantiles.

    Example:
        >>> series = Series(np.array([[2.0], [4.0]]), name="sales")
        >>> one = Forecast(series, np.array([[[5.5, 7.0]]]), Clock(), ["sales"], [0.5, 0.9])
        >>> one.times, one.by_time()
        (['2'], {'2': {'0.5': 5.5, '0.9': 7.0}})
    """

    series: Series
    quantiles: np.ndarray
    clock: Clock
    targets: Sequence[str]
    levels: Sequence[float]

    @property
    def times(self) -> list[str]:
        """The time of each step, without seconds if they are 0."""
        first = len(self.series)
        steps = range(first, first + len(self.quantiles))
        return [shown_time(self.series, self.clock, step) for step in steps]

    def by_time(self) -> dict[str, Any]:
        """The quantiles by time and level; of several targets, with their names before the levels.

        They have two more decimals than the values of the series, and at most seven digits.
        """
        return named_forecast(self.series, self.quantiles, self.clock, self.targets, self.levels)

    def text(self) -> str:
        """A line for each step: the time, and of each target the median in its band."""
        return "\n".join("  ".join(map(str, row)) for row in self._rows())

    def _rows(self) -> list[list[str]]:
        """The time of each step, and of each target the median and the outermost quantiles."""
        median = middle(self.levels)
        return [
            [
                time,
                *(
                    f"{own[median]:.{DIGITS}g} ({own[0]:.{DIGITS}g} to {own[-1]:.{DIGITS}g})"
                    for own in step
                ),
            ]
            for time, step in zip(self.times, self.quantiles.tolist(), strict=True)
        ]

    def _repr_html_(self) -> str:
        past = self.series.values[-BEFORE * max(len(self.quantiles), DIGITS) :]
        begin = shown_time(self.series, self.clock, len(self.series) - len(past))
        charts = "".join(
            f"<p>{notebook.cell(self._title(target))}</p>"
            + fan(
                past[:, index].tolist(),
                self.quantiles[:, index].tolist(),
                middle(self.levels),
                (begin, self.times[0], self.times[-1]),
            )
            for index, target in enumerate(self.targets)
        )
        band = f"median ({self.levels[0]:g} to {self.levels[-1]:g} quantile)"
        one = len(self.targets) == 1
        header = ["time", *([band] if one else [f"{x}, {band}" for x in self.targets])]
        return charts + notebook.table(header, self._rows())

    def _title(self, target: str) -> str:
        named = not self.series.name or self.series.name == target
        return target if named else f"{self.series.name}: {target}"


class Forecasts(list[Forecast]):
    """A list of forecasts that a notebook shows, one below the other.

    Example:
        >>> series = Series(np.array([[2.0], [4.0]]), name="sales")
        >>> quantiles = np.array([[[5.5, 7.0, 9.0]]])
        >>> one = Forecast(series, quantiles, Clock(), ["sales"], [0.1, 0.5, 0.9])
        >>> Forecasts([one]).show()
        sales
        2  7 (5.5 to 9)
    """

    def show(self) -> None:
        """Prints the forecasts as text; a notebook shows them with a chart."""
        if not notebook.display(self):
            print(self.text())

    def text(self) -> str:
        """The forecasts as text: below the name of a series a line for each step."""
        return "\n\n".join(f"{each.series.name}\n{each.text()}" for each in self)

    def _repr_html_(self) -> str:
        return "".join(each._repr_html_() for each in self) or "<p>no series</p>"
