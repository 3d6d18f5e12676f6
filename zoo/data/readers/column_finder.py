"""The columns of a table, which are found by a name that the user gave or by a usual name."""

from collections.abc import Sequence

import pyarrow as pa

from zoo.data.readers.table import Table, as_texts, is_empty
from zoo.errors import UserError
from zoo.option_names import option_name


class ColumnFinder:
    """The columns of a table, of which roles take some.

    Args:
        table: The table.
        what: What its rows describe, for messages.

    Attributes:
        left: The columns that no role has taken, by name.
    """

    def __init__(self, table: Table, what: str) -> None:
        self.path, self.what = table.path, what
        self.left: dict[str, pa.ChunkedArray] = dict(
            zip(table.names, table.data.columns, strict=True)
        )

    def named(self, name: str) -> str | None:
        """The column of a name, or else of this name in another case; None without one.

        Example:
            >>> table = Table("a.csv", pa.table({"Text": ["a"]}), [2])
            >>> ColumnFinder(table, "texts").named("text")
            'Text'
        """
        if name in self.left:
            return name
        lower = name.strip().lower()
        return next((each for each in self.left if each.strip().lower() == lower), None)

    def usual(self, names: Sequence[str]) -> list[str]:
        """The columns with usual names, in lower case, in the order of these, that have cells.

        Example:
            >>> table = Table("a.csv", pa.table({"Rating": ["", ""], "Class": ["a", "b"]}), [2, 3])
            >>> ColumnFinder(table, "texts").usual(["rating", "class"])
            ['Class']
        """
        return [each for each in self.with_names(names) if not is_empty(self.left[each])]

    def with_names(self, names: Sequence[str]) -> list[str]:
        """The columns with these names, in lower case, in their order, also empty ones."""
        return [each for name in names for each in self.left if each.strip().lower() == name]

    def find(self, given: str | None, usual: Sequence[str]) -> str | None:
        """The name of the column that `take` takes, or None."""
        if given is not None:
            return self.named(given)
        return next(iter(self.usual(usual)), None)

    def take(
        self, given: str | None, usual: Sequence[str], role: str, required: bool = False
    ) -> pa.ChunkedArray | None:
        """The column that an option names, or else one with a usual name.

        Args:
            given: The name that the user gave, or None.
            usual: Usual names, in lower case, the most usual first.
            role: The role, for messages; the option is `ROLE_column`.
            required: Whether there has to be one.

        Raises:
            UserError: If there is no such column; the message lists the columns.
        """
        name = self.find(given, usual)
        if name is not None:
            return self.left.pop(name)
        if required or given is not None:
            wanted = given or " or ".join(usual[:2])
            columns = ", ".join(self.left)
            raise UserError(
                f"{self.path} has no column {wanted}: name the {role} of {self.what} with "
                f"{option_name(f'{role}_column')}; the columns are {columns:.200}"
            )
        return None

    def take_texts(
        self, given: str | None, usual: Sequence[str], role: str, required: bool = False
    ) -> list[str] | None:
        """The cells of the column that `take` takes as texts, without spaces around them."""
        column = self.take(given, usual, role, required)
        return None if column is None else [cell.strip() for cell in as_texts(column)]


def check_rows(table: Table, header: bool) -> None:
    """Refuses a table without rows or, if it needs a header, without names of its columns.

    Raises:
        UserError: If it is one.
    """
    if (header and not table.header) or not len(table):
        named = table.header or not header
        lacking = "rows" if named else "first row with the names of its columns"
        raise UserError(f"{table.path} has no {lacking}")
