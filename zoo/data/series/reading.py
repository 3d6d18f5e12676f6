"""Options of tables of series: what a user says, and what is known of the training data."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from zoo.data.series.clock import Clock
from zoo.data.series.duplicates import ERROR
from zoo.data.series.series import Layout

ROLES = ("time", "series", "target", "known", "static")
BETWEEN = ","  # of several names in an option


@dataclass(frozen=True)
class ReadingOptions:
    """Options of a table of series, and what is known of the training data of a model.

    Args:
        time_column: Name of the column of times.
        series_column: Name of the column of the names of series.
        target_column: Names of the targets, with commas between.
        known_column: Names of the covariates that are known in the future, with commas between.
        static_column: Names of the static covariates, with commas between.
        encoding: The encoding of a file without a byte order mark, by default UTF-8.
        skip_bad_rows: Whether to skip invalid rows.
        date_format: How dates are written, in the way of `strptime`.
        duplicates: What becomes of rows of one time, one of `DUPLICATES`.
        layout: How the table of the training data was written.
        targets: Names of the targets of the training data, which are those of a table that has all
            of them, unless `target_column` names others.
        clock: The clock of the training data.
    """

    time_column: str | None = None
    series_column: str | None = None
    target_column: str | None = None
    known_column: str | None = None
    static_column: str | None = None
    encoding: str | None = None
    skip_bad_rows: bool = False
    date_format: str | None = None
    duplicates: str = ERROR
    layout: Layout = Layout()
    targets: tuple[str, ...] = ()
    clock: Clock | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any], **more: Any) -> Self:
        """Those that are among other options, by name.

        Example:
            >>> ReadingOptions.of({"time_column": "when", "horizon": 7}).time_column
            'when'
        """
        names = {field.name for field in fields(cls)}
        return cls(**{n: value for n, value in options.items() if n in names}, **more)

    def named(self, role: str) -> list[str]:
        """The names of columns that the user gave to a role: "time", "series", "target", ..."""
        given: dict[str, str | None] = {
            "time": self.time_column,
            "series": self.series_column,
            "target": self.target_column,
            "known": self.known_column,
            "static": self.static_column,
        }
        return [name.strip() for name in (given[role] or "").split(BETWEEN) if name.strip()]
