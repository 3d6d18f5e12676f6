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
from zoo.data.readers.tables import TableReader, open_table
from zoo.data_statistics import LOGGER, Statistics, record
from zoo.errors import DataError, UserError
from zoo.option_names import option_value

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
        indices = _chosen(reader, columns.roles, given, learned)

    used = {reader.names[index] for index in indices.values()}

    def parts() -> Iterator[tuple[Table, list[Any]]]:
        left = NAMED
        for every in reader.batches:
            problems = {name: each for name, each in every.problems.items() if name in used}
            batch = replace(every, problems=problems)
            if (first := batch.first_reason) is not None and not options.skip_bad_rows:
                line, reason = first
                advice = f"use {option_value('skip_bad_rows', True)} to skip such rows"
                raise DataError(path, line, f"{reason}; {advice}")
            table, skipped = batch.without_bad(options.skip_bad_rows)
            record(Statistics({"bad rows skipped": skipped}))
            for line, reason in islice(sorted(batch.reasons.items()), left):
                LOGGER.warning(f"{path}:{line}: {reason}: skipped")
            left = max(0, left - skipped)
            yield table, columns.rows(table, indices, folder)

    return TableToPredict(reader.names, reader.header, parts())


def _chosen(
    reader: TableReader,
    roles: tuple[Role, ...],
    given: Mapping[str, str],
    learned: Mapping[str, str],
) -> dict[str, int]:
    """The index of the column for each role; a sentence in the log says if its name is new.

    Raises:
        UserError: If a column is missing, or ambiguous.
    """
    path, finder, named = reader.sample.path, ColumnFinder(reader.sample, "rows"), dict(given)
    missing: dict[str, str] = {}
    for role in roles if reader.header else ():
        if role.name in learned and role.name not in given:
            actual = finder.named(learned[role.name])
            if actual is None:
                missing[role.name] = learned[role.name]
            else:
                named[role.name] = actual
    absent = ", ".join(map(repr, missing.values()))
    lacks = f"{path} has no column {absent}, as the training data had"
    try:
        indices = choose_columns(
            reader.sample, [replace(role, required=True) for role in roles], named
        )
    except UserError as error:
        if not missing:
            raise
        raise UserError(f"{lacks}: {str(error).removeprefix(f'{path}: ')}") from None
    if missing:
        taken = ", ".join(repr(reader.names[indices[role]]) for role in missing)
        LOGGER.warning(f"{lacks}: reads {taken} instead")
    return indices
