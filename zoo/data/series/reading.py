"""Options of tables of series: what a user says, and what is known of the training data."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from zoo.data.readers.column_names import ReadOptions
from zoo.data.series.clock import Clock
from zoo.data.series.duplicates import ERROR
from zoo.data.series.series import SeriesLayout

ROLES = ("time", "series", "target", "known", "static")
TABLE = SeriesLayout()  # of a table whose columns are unknown
BETWEEN = ","  # of several names in an option


@dataclass(frozen=True)
class ReadingOptions:
    """Options of a table of series, and what is known of the training data of a model.

    Args:
        table: How the table is read. Names of targets and of covariates have commas between.
        date_format: How dates are written, in the way of `strptime`.
        duplicates: What becomes of rows of one time, one of `DUPLICATES`.
        layout: How the table of the training data was written.
        targets: Names of the targets of the training data, which are those of a table that has all
            of them, unless the names of columns have others.
        clock: The clock of the training data.
        all_values: Whether all columns of numbers are targets by default, also beside one with a
            usual name, such as `y`.
    """

    table: ReadOptions = ReadOptions()
    date_format: str | None = None
    duplicates: str = ERROR
    layout: SeriesLayout = TABLE
    targets: tuple[str, ...] = ()
    clock: Clock | None = None
    all_values: bool = False

    @classmethod
    def of(
        cls,
        options: Mapping[str, Any],
        layout: SeriesLayout = TABLE,
        targets: tuple[str, ...] = (),
        clock: Clock | None = None,
    ) -> Self:
        """Those that are among the options of a task, by name.

        Example:
            >>> ReadingOptions.of({"time_column": "when", "horizon": 7}).table.names.time
            'when'
        """
        duplicates = options.get("duplicates", ERROR)
        table, date_format = ReadOptions.of(options), options.get("date_format")
        return cls(table, date_format, duplicates, layout, targets, clock)

    def with_names(self, **names: str | None) -> Self:
        """The same with other names of some columns, by role."""
        columns = replace(self.table.names, **names)
        return replace(self, table=replace(self.table, names=columns))

    def named(self, role: str) -> list[str]:
        """The names of columns that the user gave to a role: "time", "series", "target", ..."""
        given = self.table.names.by_role().get(role, "")
        return [name.strip() for name in given.split(BETWEEN) if name.strip()]


DEFAULT = ReadingOptions()
