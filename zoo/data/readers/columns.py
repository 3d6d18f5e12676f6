"""Reads the columns that a task needs from tables. Finds them by option, by name or by contents."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any

from zoo.data.readers.files import IN_MEMORY, is_path, name_of, paths_of
from zoo.data.readers.profile import Profile
from zoo.data.readers.roles import Role
from zoo.data.readers.tables import (
    Row,
    Table,
    read_table,
    rows_in_memory,
    table_in_memory,
    texts_of,
)
from zoo.data_statistics import Statistics, counted, with_statistics
from zoo.errors import DataError, UserError
from zoo.option_names import option_name, option_value

LISTED = 5  # maximum number of bad rows or labels that a message lists
PIECE_ROWS, PIECE_CHARACTERS = 1 << 18, 1 << 25  # of large data that is read in pieces
ENOUGH = 20  # minimum number of rows to check whether the contents of a column fit its role


@dataclass(frozen=True)
class Source:
    """Describes where examples come from, for the log.

    Args:
        names: The name of the column for each role; empty for data in memory.
        header: Whether the file has a header.
        statistics: Counts of skipped rows.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    header: bool = False
    statistics: Statistics = field(default_factory=Statistics)

    def describe(self, facts: str, cells: Mapping[str, Sequence[str]]) -> str:
        """A log line: facts, the column for each role, and counts of skipped rows.

        Args:
            facts: Beginning of the line.
            cells: The cells of the column for each role.

        Example:
            >>> reviews = {"text": ["a fine film", "dull"], "label": ["good", "bad"]}
            >>> print(Source({"text": "1", "label": "2"}).describe("a.tsv: 2 texts", reviews))
            a.tsv: 2 texts; text = column 1 (mean 8 characters), label = column 2 (2 values: bad 1,
            good 1); header: no
        """
        names = {role: _column(name, self.header) for role, name in self.names.items()}
        parts = [f"{role} = {x} ({_described(role, cells[role])})" for role, x in names.items()]
        header = f"{', '.join(parts)}; header: {'yes' if self.header else 'no'}"
        return with_statistics("; ".join([facts, header] if parts else [facts]), self.statistics)


@dataclass
class Columns:
    """The columns that were read.

    Args:
        path: The name of the data, for messages.
        cells: The cells of the column for each role, without roles that have no column.
        names: For files, the name of the column for each role.
        header: Whether the file has a header.
        blank: Number of blank lines that were skipped.
        bad: Invalid rows, as (path, line, reason).
        several: The roles whose cells may be lists of texts, in JSON.
    """

    path: str
    cells: dict[str, list[str]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    header: bool = False
    blank: int = 0
    bad: list[tuple[str, int, str]] = field(default_factory=list)
    several: frozenset[str] = frozenset()

    @property
    def source(self) -> Source:
        """Everything but the cells."""
        skipped = {"blank lines skipped": self.blank, "bad rows skipped": len(self.bad)}
        return Source(self.names, self.header, Statistics(skipped))


def read_columns(data: Any, roles: Sequence[Role], what: str, options: Any = None) -> Columns:
    """Reads the columns with these roles.

    The column for a role is the one that the options name, or else one with a usual name, or else
    one whose contents fit. If there are as many columns as roles, they may also be taken in order.
    Data in memory is a list of tuples in the order of the roles, a data frame, or a dictionary of
    columns.

    Args:
        data: A file, a pattern, a list of `pathlib.Path`, or data in memory.
        roles: The roles, in the order of columns without names.
        what: Description of the data, for messages.
        options: Object with the attributes `encoding`, `skip_bad_rows` and, for each role,
            `ROLE_column`: the name or number of its column, or None.

    Raises:
        DataError: If rows are invalid; the message names the first and counts the others.
        UserError: If a file is missing or has an unknown format, or columns are ambiguous.
    """
    if is_path(data):
        given = [getattr(options, role.option, None) for role in roles]
        named, encoding = [*filter(None, given)], getattr(options, "encoding", None)
        tables = (read_table(path, what, named, encoding) for path in paths_of(data))
        return columns_of(tables, name_of(data), roles, options)
    found = Columns(name_of(data), several=_several(roles))
    if (table := table_in_memory(data)) is not None:
        _read(table, roles, _given(roles, options), found)
        found.names = {}
    else:
        _read_tuples(rows_in_memory(data), roles, found)
    _check_bad(found, options)
    return found


def columns_of(
    tables: Iterable[Table], path: str, roles: Sequence[Role], options: Any = None
) -> Columns:
    """Reads the columns of the tables of files; see `read_columns`.

    Args:
        tables: The tables.
        path: Their name, for messages.
        roles: The roles.
        options: Names of the columns, and `skip_bad_rows`.
    """
    found = Columns(path, several=_several(roles))
    for table in tables:
        _read(table, roles, _given(roles, options), found)
    _check_bad(found, options)
    _check_contents(found, roles)
    return found


def _several(roles: Sequence[Role]) -> frozenset[str]:
    return frozenset(role.name for role in roles if role.several)


def _given(roles: Sequence[Role], options: Any) -> dict[str, str | None]:
    """The names of columns that the options give."""
    return {role.name: getattr(options, role.option, None) for role in roles}


def _check_bad(found: Columns, options: Any) -> None:
    if found.bad and not getattr(options, "skip_bad_rows", False):
        raise _error(found.bad)


def read_columns_in_pieces(
    data: Any, roles: Sequence[Role], what: str, options: Any = None
) -> Iterator[Columns]:
    """Reads files as `read_columns` does, but a limited number of rows at a time.

    Whether the contents of the columns fit is checked in the first piece.

    Args:
        data: A file, a pattern, a list of `pathlib.Path`, or data in memory, which is one piece.
        roles: See `read_columns`, also for the other arguments.
        what: Description of the data, for messages.
        options: Names of the columns.
    """
    if not is_path(data):
        yield read_columns(data, roles, what, options)
        return
    given = _given(roles, options)
    encoding = getattr(options, "encoding", None)
    names: dict[str, str] = {}
    for path in paths_of(data):
        table = read_table(path, what, [name for name in given.values() if name], encoding)
        for rows in _pieces(table.rows):
            found = Columns(name_of(data), names=names)
            _read(replace(table, rows=rows), roles, given, found)
            _check_bad(found, options)
            if not names:
                _check_contents(found, roles)
            names = found.names
            yield found


def _pieces(rows: Iterator[Row]) -> Iterator[Iterator[Row]]:
    """Splits rows into pieces, each of which has to be read before the next."""

    def piece(first: Row) -> Iterator[Row]:
        characters = 0
        for row in chain([first], islice(rows, PIECE_ROWS - 1)):
            yield row
            characters += sum(map(len, row.cells))
            if characters >= PIECE_CHARACTERS:
                return

    for first in rows:
        yield piece(first)


def _read(
    table: Table, roles: Sequence[Role], given: Mapping[str, str | None], found: Columns
) -> None:
    if not table.names:  # no row is valid
        for row in table.rows:
            _take(table.path, row, (), (), (), found)
        return
    places = choose_columns(table, roles, given)
    names = {role: table.names[place] for role, place in places.items()}
    if found.names and set(names) != set(found.names):
        raise UserError(
            f"{table.path} has the columns {_listed(names)}, files before it {_listed(found.names)}"
        )
    found.names, found.header = found.names or names, table.header
    columns = [found.cells.setdefault(role, []) for role in places]
    for row in table.rows:
        cells = [row.cells[place] for place in places.values()] if _usable(row, table) else []
        _take(table.path, row, list(places), cells, columns, found)


def _usable(row: Row, table: Table) -> bool:
    return row.reason is None and len(row.cells) == len(table.names)


def _read_tuples(rows: Iterator[Row], roles: Sequence[Role], found: Columns) -> None:
    required = [role.name for role in roles if role.required]
    forms = {len(required): required, len(roles): [role.name for role in roles]}
    names: list[str] = []
    for row in rows:
        if not names and row.reason is None:
            if len(row.cells) not in forms:
                counts = " or ".join(map(str, sorted(forms)))
                raise DataError(
                    IN_MEMORY, row.line, f"expected {counts} columns, found {len(row.cells)}"
                )
            names = forms[len(row.cells)]
            found.cells = {name: [] for name in names}
        if row.reason is None and len(row.cells) != len(names):
            reason = f"expected {counted(len(names), 'columns')}, found {len(row.cells)}"
            row = row._replace(reason=reason)
        columns = [found.cells[name] for name in names]
        _take(IN_MEMORY, row, names, row.cells, columns, found)


def _take(
    path: str,
    row: Row,
    names: Sequence[str],
    cells: Sequence[str],
    columns: Sequence[list[str]],
    found: Columns,
) -> None:
    """Adds the cells of a row to the columns, or records why it is invalid."""
    if row.reason is None and not row.cells:
        found.blank += 1
        return
    reason = row.reason
    if reason is None and row.problems:
        # `problems` has the names of columns in the user's file, not the names of roles.
        wrong = [
            row.problems[name]
            for (role, name), cell in zip(found.names.items(), cells, strict=True)
            if name in row.problems and not (role in found.several and texts_of(cell))
        ]
        reason = wrong[0] if wrong else None
    if reason is None:
        empty = [name for name, cell in zip(names, cells, strict=True) if not cell.strip()]
        reason = f"the {empty[0]} is empty" if empty else None
    if reason is not None:
        found.bad.append((path, row.line, reason))
        return
    for column, cell in zip(columns, cells, strict=True):
        column.append(cell)


def choose_columns(
    table: Table, roles: Sequence[Role], given: Mapping[str, str | None]
) -> dict[str, int]:
    """The index of the column for each role.

    Raises:
        UserError: If a named column is missing, or the columns are ambiguous.
    """
    places: dict[str, int] = {}
    for role in roles:
        name = given.get(role.name)
        if name is not None:
            places[role.name] = _named(table, name, role)
    if table.header:
        for role in roles:
            _take_usual_name(table, role, places)
    _take_last_numbers(table, roles, places)
    missing = [role for role in roles if role.name not in places]
    if any(role.required for role in missing):
        _infer(table, roles, places)
    return {role.name: places[role.name] for role in roles if role.name in places}


def _named(table: Table, name: str, role: Role) -> int:
    """The index of the column that the user named."""
    if name in table.names:
        return table.names.index(name)
    lower = [each.lower() for each in table.names]
    if name.lower() in lower:
        return lower.index(name.lower())
    raise UserError(
        f"{table.path} has no column {name!r} for {option_name(role.option)}; "
        + (f"choose from {_listed(table.names)}" if table.header else _numbered(table))
    )


def _take_usual_name(table: Table, role: Role, places: dict[str, int]) -> None:
    """Finds the column for a role by the usual names of such columns."""
    if role.name in places:
        return
    names = [name.strip().lower() for name in table.names]
    free = [place for place in range(len(names)) if place not in places.values()]
    matching = [place for place in free if names[place] in role.names]
    exact = [place for place in matching if names[place] == role.name]
    if len(exact or matching) > 1:
        candidates = [table.names[place] for place in exact or matching]
        raise _ambiguous(table, role, candidates)
    if matching:
        places[role.name] = (exact or matching)[0]


def _take_last_numbers(table: Table, roles: Sequence[Role], places: dict[str, int]) -> None:
    """Finds a last optional column of numbers in a table with a column for each role."""
    last = len(table.names) - 1
    role = roles[-1]
    if role.kind != "number" or role.required or role.name in places or last in places.values():
        return
    numbers = Profile.of([row[last] for row in table.sample]).numbers == 1
    if len(table.names) == len(roles) and numbers:
        places[role.name] = last


def _infer(table: Table, roles: Sequence[Role], places: dict[str, int]) -> None:
    """Finds the columns for the remaining roles by their contents, or else by their order."""
    profiles = [Profile.of([row[i] for row in table.sample]) for i in range(len(table.names))]
    missing = [role for role in roles if role.name not in places]
    required = [role for role in missing if role.required]
    free = [place for place in range(len(profiles)) if place not in places.values()]
    free = [place for place in free if table.names[place]]
    if len(free) > len(required):  # otherwise every column is needed, even an identifier
        free = [place for place in free if not profiles[place].is_identifier]
    if len(table.sample) >= ENOUGH:
        free = [place for place in free if profiles[place].rows]  # without empty columns
    fits = {"label": "is_categorical", "text": "is_text"}
    fitting = {
        kind: [place for place in free if getattr(profiles[place], fits[kind])] for kind in fits
    }
    wanted = Counter(role.kind for role in required)
    if all(len(fitting.get(kind, ())) == count for kind, count in wanted.items()) and (
        # Several texts are taken in order only if no other column is left, or without a header.
        len(free) == len(required) or wanted["text"] <= 1 or table.header is False
    ):
        for role in required:
            places[role.name] = fitting[role.kind].pop(0)
        return
    # Optional columns are found by name or, in files without names, by number.
    for chosen in (required,) if table.header else (required, missing):
        if len(free) == len(chosen):
            for role, place in zip(chosen, free, strict=True):
                places[role.name] = place
            return
    raise _ambiguous(table, required[0], None)


def _check_contents(found: Columns, roles: Sequence[Role]) -> None:
    """Refuses a label column that contains texts, and a target column that contains labels."""
    for role in roles:
        cells = found.cells.get(role.name, [])
        if len(cells) < ENOUGH:
            continue
        values = len(set(cells))
        column, option = _column(found.names[role.name], found.header), option_name(role.option)
        if role.kind == "label" and values > len(cells) / 2:
            raise UserError(
                f"{found.path}: {column} has {values:,} different values in {len(cells):,} rows, "
                f"too many for labels; name the column of the labels with {option}"
            )
        if role.name == "target" and Profile.of(cells).is_categorical:
            raise UserError(
                f"{found.path}: {column} has only {values} different values in {len(cells):,} "
                "rows; train a text-classifier to predict labels, or name the column of the "
                f"targets with {option}"
            )


def _ambiguous(table: Table, role: Role, candidates: Sequence[str] | None) -> UserError:
    if candidates is not None:
        what = f"several columns could be the {role.name}: {_listed(candidates)}"
    elif table.header:
        what = (
            f"cannot tell which column is the {role.name}; the columns are {_listed(table.names)}"
        )
    else:
        what = f"cannot tell which column is the {role.name}; {_numbered(table)}"
    return UserError(f"{table.path}: {what}; choose with {option_name(role.option)}")


def _column(name: str, header: bool) -> str:
    return name if header else f"column {name}"


def _listed(names: Any) -> str:
    names = [str(name) for name in names]
    more = [f"{len(names) - 4 * LISTED} more"] if len(names) > 4 * LISTED else []
    return ", ".join(names[: 4 * LISTED] + more)


def _numbered(table: Table) -> str:
    """Describes the columns of a table without a header by their first cells."""
    cells = table.sample[0] if table.sample else []
    first = ", ".join(f"{i} ({cell[:20]!r})" for i, cell in enumerate(cells[: 4 * LISTED], 1))
    return f"there is no header, and the first row has the columns {first}"


def _described(role: str, cells: Sequence[str]) -> str:
    if role != "label":
        return f"mean {sum(map(len, cells)) / max(len(cells), 1):.0f} characters"
    counts = Counter(cells)
    if len(counts) > LISTED:
        return counted(len(counts), "values")
    values = ", ".join(f"{label} {count:,}" for label, count in sorted(counts.items()))
    return f"{counted(len(counts), 'values')}: {values}"


def _error(bad: list[tuple[str, int, str]]) -> DataError:
    """An error for the first bad row, with the number of bad rows and their first lines."""
    path, line, reason = bad[0]
    if path == IN_MEMORY and len(bad) == 1:
        return DataError(path, line, reason)
    if len(bad) > 1:
        places = [str(each[1]) for each in bad[:LISTED]]
        more = ["…"] if len(bad) > LISTED else []
        reason += f"; {len(bad):,} rows are invalid, in lines {', '.join(places + more)}"
    return DataError(
        path, line, f"{reason}; use {option_value('skip_bad_rows', True)} to skip such rows"
    )
