"""All columns of a table with names, of which roles take some."""

from collections.abc import Sequence

from zoo.data.readers.tables import Table
from zoo.errors import DataError, UserError
from zoo.option_names import option_name


class NamedColumns:
    """The columns of a table that has to be valid as a whole.

    Args:
        table: The table.
        what: What its rows describe, for messages.
        header: Whether the table has to name its columns; otherwise they may have numbers.
        skip: Whether to skip invalid rows.

    Attributes:
        left: The cells of the columns that no role has taken, by name.
        lines: The line of each row.
        skipped: Number of invalid rows that were skipped.

    Raises:
        DataError: If a row is invalid, without `skip`.
        UserError: If there are no rows, or no names.
    """

    def __init__(self, table: Table, what: str, header: bool = True, skip: bool = False) -> None:
        self.path, self.what = table.path, what
        self.lines, cells, self.skipped = _valid_rows(table, skip)
        if (header and not table.header) or not cells:
            named = table.header or not header
            lacking = "rows" if named else "first row with the names of its columns"
            raise UserError(f"{self.path} has no {lacking}")
        columns = [list(column) for column in zip(*cells, strict=True)]
        self.left = dict(zip(table.names, columns, strict=True))

    def take(
        self, given: str | None, usual: Sequence[str], role: str, required: bool = False
    ) -> list[str] | None:
        """The column that an option names, or else one with a usual name; without spaces around.

        Args:
            given: The name that the user gave, or None.
            usual: Usual names, in lower case, the most usual first.
            role: The role, for messages; the option is `ROLE_column`.
            required: Whether there has to be one.

        Raises:
            UserError: If there is no such column; the message lists the columns.
        """
        found = self.find(given, usual)
        if found is None and (required or given is not None):
            wanted = given or " or ".join(usual[:2])
            columns = ", ".join(self.left)
            raise UserError(
                f"{self.path} has no column {wanted}: name the {role} of {self.what} with "
                f"{option_name(f'{role}_column')}; the columns are {columns:.200}"
            )
        return None if found is None else [cell.strip() for cell in self.left.pop(found)]

    def find(self, given: str | None, usual: Sequence[str]) -> str | None:
        """The name of the column that `take` takes, or None."""
        known = {name.strip().lower(): name for name in self.left}
        found = given if given is not None else next((n for n in usual if n in known), None)
        if found is not None:
            found = found if found in self.left else known.get(found.lower())
        return found


def _valid_rows(table: Table, skip: bool) -> tuple[list[int], list[list[str]], int]:
    """The lines and cells of valid rows, and the number of others."""
    lines, cells, skipped = [], [], 0
    for row in table.rows:
        reason = row.reason or next(iter(row.problems.values()), None)
        if reason is not None:
            if not skip:
                raise DataError(table.path, row.line, reason)
            skipped += 1
        elif row.cells:
            lines.append(row.line)
            cells.append(row.cells)
    return lines, cells, skipped
