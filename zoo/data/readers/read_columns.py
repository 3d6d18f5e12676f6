"""The reader of the columns that a task needs from tables: at once, or in pieces."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.files import Paths, is_path, name_of, paths_of
from zoo.data.readers.memory_tables import TableInMemory, rows_in_memory, table_in_memory
from zoo.data.readers.role_columns import choose_columns, listed
from zoo.data.readers.roles import Role
from zoo.data.readers.table import Table
from zoo.data.readers.tables import SAMPLE, TableReader, open_table
from zoo.data.readers.text_columns import RowCheck, TextColumns
from zoo.errors import UserError

# Files, or data in memory: a table, or rows whose cells may be anything that text is made of.
TableData = Paths | TableInMemory | Iterable[str | Sequence[Any]]
PIECE_ROWS, PIECE_CHARACTERS = 1 << 18, 1 << 25  # of large data that is read in pieces


def read_columns(
    data: TableData,
    roles: Sequence[Role],
    what: str,
    options: ReadOptions = DEFAULT,
    check: RowCheck | None = None,
) -> TextColumns:
    """Reads the columns with these roles.

    The column for a role is the one that the options name, or else one with a usual name, or else
    one whose contents fit. If there are as many columns as roles, they may also be taken in order.
    Data in memory is a list of tuples in the order of the roles, a data frame, or a dictionary of
    columns.

    Args:
        data: A file, a pattern, a list of `pathlib.Path`, or data in memory.
        roles: The roles, in the order of columns without names.
        what: Description of the data, for messages.
        options: How tables are read.
        check: Function from the cells of a row, by role, to the reason why it is invalid, or None.

    Raises:
        DataError: If rows are invalid; the message names the first and counts the others.
        UserError: If a file is missing or has an unknown format, or columns are ambiguous.
    """
    if is_path(data):
        readers = (_open(path, roles, what, options) for path in paths_of(data))
        return columns_of(readers, name_of(data), roles, options, check)
    columns = _empty(name_of(data), roles, check=check)
    if (table := table_in_memory(data)) is not None:
        indices = choose_columns(table.head(SAMPLE), roles, _given(roles, options))
        columns.add(table, indices)
        columns.header = True
    else:
        required = [role.name for role in roles if role.required]
        forms = {len(required): required, len(roles): [role.name for role in roles]}
        columns.add_rows(rows_in_memory(cast(Iterable[Any], data)), forms)
    columns.check_bad(options.skip_bad_rows)
    return columns


def columns_of(
    readers: Iterable[TableReader],
    path: str,
    roles: Sequence[Role],
    options: ReadOptions = DEFAULT,
    check: RowCheck | None = None,
) -> TextColumns:
    """Reads the columns of the tables of files; see `read_columns`.

    Args:
        readers: The tables.
        path: Their name, for messages.
        roles: The roles.
        options: How tables are read.
        check: See `read_columns`.
    """
    columns = _empty(path, roles, check=check)
    for reader in readers:
        indices = _choose(reader, roles, options, columns)
        for batch in reader.batches:
            columns.add(batch, indices)
    columns.check_bad(options.skip_bad_rows)
    columns.check_contents(roles, _given(roles, options))
    return columns


def read_columns_in_pieces(
    data: TableData, roles: Sequence[Role], what: str, options: ReadOptions = DEFAULT
) -> Iterator[TextColumns]:
    """Reads files as `read_columns` does, but a limited number of rows at a time.

    Whether the contents of the columns fit is checked in the first piece.

    Args:
        data: A file, a pattern, a list of `pathlib.Path`, or data in memory, which is one piece.
        roles: See `read_columns`, also for the other arguments.
        what: Description of the data, for messages.
        options: How tables are read.
    """
    if not is_path(data):
        yield read_columns(data, roles, what, options)
        return
    path = name_of(data)
    columns, first = _empty(path, roles), True
    for reader in (_open(each, roles, what, options) for each in paths_of(data)):
        indices = _choose(reader, roles, options, columns)
        for piece in _pieces(reader.batches):
            for batch in piece:
                columns.add(batch, indices)
            columns.check_bad(options.skip_bad_rows)
            if first:
                columns.check_contents(roles, _given(roles, options))
            first = False
            yield columns
            columns = _empty(path, roles, columns.names, columns.header)


def _pieces(batches: Iterator[Table]) -> Iterator[list[Table]]:
    piece: list[Table] = []
    rows = characters = 0
    for batch in batches:
        piece.append(batch)
        rows, characters = rows + len(batch), characters + batch.data.nbytes
        if rows >= PIECE_ROWS or characters >= PIECE_CHARACTERS:
            yield piece
            piece, rows, characters = [], 0, 0
    if piece:
        yield piece


def _open(path: Path, roles: Sequence[Role], what: str, options: ReadOptions) -> TableReader:
    return open_table(path, what, [*_given(roles, options).values()], options.encoding)


def _empty(
    path: str,
    roles: Sequence[Role],
    names: Mapping[str, str] | None = None,
    header: bool = False,
    check: RowCheck | None = None,
) -> TextColumns:
    lists = frozenset(role.name for role in roles if role.several)
    kinds = {role.name: role.kind for role in roles if role.required}
    return TextColumns(path, {}, dict(names or {}), header, lists=lists, kinds=kinds, check=check)


def _given(roles: Sequence[Role], options: ReadOptions) -> dict[str, str]:
    """The names that the user gave to the columns of these roles."""
    names = options.by_role()
    return {role.name: names[role.name] for role in roles if role.name in names}


def _choose(
    reader: TableReader, roles: Sequence[Role], options: ReadOptions, columns: TextColumns
) -> dict[str, int]:
    """The column for each role; their names have to be those of the files before."""
    if not reader.names:  # no row is valid
        return {}
    indices = choose_columns(reader.sample, roles, _given(roles, options))
    names = {role: reader.names[index] for role, index in indices.items()}
    if columns.names and set(names) != set(columns.names):
        raise UserError(
            f"{reader.sample.path} has the columns {listed([*names])}, files before it "
            f"{listed([*columns.names])}"
        )
    columns.names, columns.header = columns.names or names, reader.header
    return indices
