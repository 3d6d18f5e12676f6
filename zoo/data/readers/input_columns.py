"""The columns of a table from which a task predicts."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from zoo.data.readers.column_finder import ColumnFinder
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.role_columns import choose_columns
from zoo.data.readers.roles import Role
from zoo.data.readers.table import Table
from zoo.data.readers.tables import open_table
from zoo.errors import DataError


@dataclass(frozen=True)
class InputColumns:
    """What each row of a table gives a task to predict from.

    Args:
        roles: The roles of the columns, in the order of a pair.
        located: Function from the folder of the table and a cell to the file that it names, if
            cells are paths. Raises a `ValueError` that says what is wrong with the cell.
    """

    roles: tuple[Role, ...]
    located: Callable[[Path, str], Path] | None = None

    def rows(self, table: Table, indices: Mapping[str, int]) -> list[Any]:
        """The inputs of the rows of a table: texts, pairs of texts, or paths.

        Args:
            table: The table, or a part of it.
            indices: The index of the column for each role.

        Raises:
            DataError: If a cell names no file.
        """
        cells = [table.texts(indices[role.name]) for role in self.roles]
        if self.located is None:
            return cells[0] if len(cells) == 1 else list(zip(*cells, strict=True))
        folder, files = Path(table.path).parent, []
        for line, cell in zip(table.lines.tolist(), cells[0], strict=True):
            try:
                files.append(str(self.located(folder, cell)))
            except ValueError as error:
                raise DataError(table.path, line, f"{cell!r:.60}: {error}") from None
        return files


@dataclass(frozen=True)
class TableToPredict:
    """A table that is open, and its inputs.

    Args:
        names: The names of its columns.
        header: Whether the file names them.
        parts: Its rows, and the input of each, some at a time.
    """

    names: list[str]
    header: bool
    parts: Iterator[tuple[Table, list[Any]]]


def open_inputs(
    path: Path, columns: InputColumns, options: ReadOptions, learned: Mapping[str, str]
) -> TableToPredict:
    """Opens a table to predict from.

    The column for a role is the one that the options name, or else the one with the name that it
    had in the training data, or else one that is found as in training data.

    Args:
        path: The file.
        columns: Which columns are read.
        options: How tables are read.
        learned: The name of the column for each role of the training data; may be empty.

    Raises:
        UserError: If the file is missing, has an unknown format, or columns are ambiguous.
        DataError: If a row is invalid.
    """
    given = {
        role: name
        for role, name in options.names.by_role().items()
        if role in {each.name for each in columns.roles}
    }
    reader = open_table(path, "data", [*given.values(), *learned.values()], options.encoding)
    indices: dict[str, int] = {}
    if reader.names:
        finder = ColumnFinder(reader.sample, "rows")
        for role, name in learned.items() if reader.header else ():
            if (actual := finder.named(name)) is not None:
                given.setdefault(role, actual)
        required = [replace(role, required=True) for role in columns.roles]
        indices = choose_columns(reader.sample, required, given)

    used = {reader.names[index] for index in indices.values()}

    def parts() -> Iterator[tuple[Table, list[Any]]]:
        for batch in reader.batches:
            problems = {name: each for name, each in batch.problems.items() if name in used}
            table, _ = replace(batch, problems=problems).without_bad(options.skip_bad_rows)
            yield table, columns.rows(table, indices)

    return TableToPredict(reader.names, reader.header, parts())
