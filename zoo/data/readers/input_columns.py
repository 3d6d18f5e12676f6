"""The columns of a table from which a task predicts."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from zoo.data.readers.column_finder import ColumnFinder
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.role_columns import choose_columns
from zoo.data.readers.roles import Role
from zoo.data.readers.table import Table
from zoo.data.readers.tables import open_table
from zoo.data_statistics import LOGGER, Statistics, record
from zoo.errors import DataError

NAMED = 20  # number of bad rows that are named when they are skipped


@dataclass(frozen=True)
class InputColumns:
    """What each row of a table gives a task to predict from.

    Args:
        roles: The roles of the columns, in the order of a pair.
        located: Function from the folder of the table and a cell to the file that it names, if
            cells are paths. Raises a `ValueError` that says what is wrong with the cell.
        suffixes: The ends of the names of such files.
    """

    roles: tuple[Role, ...]
    located: Callable[[Path, str], Path] | None = None
    suffixes: tuple[str, ...] = ()

    def rows(self, table: Table, indices: Mapping[str, int], folder: Path) -> list[Any]:
        """The inputs of the rows of a table: texts, pairs of texts, or paths.

        Args:
            table: The table, or a part of it.
            indices: The index of the column for each role.
            folder: Where relative paths begin.

        Raises:
            DataError: If a cell names no file.
        """
        cells = [table.texts(indices[role.name]) for role in self.roles]
        if self.located is None:
            return cells[0] if len(cells) == 1 else list(zip(*cells, strict=True))
        files = []
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
    path: Path,
    columns: InputColumns,
    options: ReadOptions,
    learned: Mapping[str, str],
    folder: Path,
) -> TableToPredict:
    """Opens a table to predict from.

    The column for a role is the one that the options name, or else the one with the name that it
    had in the training data, or else one that is found as in training data.

    Args:
        path: The file.
        columns: Which columns are read.
        options: How tables are read.
        learned: The name of the column for each role of the training data; may be empty.
        folder: Where paths in cells begin, such as the folder of the table.

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
        left = NAMED
        for every in reader.batches:
            problems = {name: each for name, each in every.problems.items() if name in used}
            batch = replace(every, problems=problems)
            table, skipped = batch.without_bad(options.skip_bad_rows)
            record(Statistics({"bad rows skipped": skipped}))
            for line, reason in islice(sorted(batch.reasons.items()), left):
                LOGGER.warning(f"{path}:{line}: {reason}: skipped")
            left = max(0, left - skipped)
            yield table, columns.rows(table, indices, folder)

    return TableToPredict(reader.names, reader.header, parts())
