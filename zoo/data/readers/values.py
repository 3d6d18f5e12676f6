"""The reader of texts, and pairs of texts, with one value or several."""

import dataclasses
from collections.abc import Mapping, Sequence

from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.numbers import read_numbers
from zoo.data.readers.read_columns import TableData, read_columns
from zoo.data.readers.roles import IMAGE, SECOND, TEXT, VALUE, Role
from zoo.data.readers.text_rows import TextRows
from zoo.data.valued_rows import ValuedRows
from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.option_names import listed_names


@dataclasses.dataclass(frozen=True)
class ValuedTexts(ValuedRows, TextRows):
    """Texts or pairs of texts, with their values."""

    def __str__(self) -> str:
        return self.described([f"{counted(len(self.texts), self.what)} with {self.value_facts}"])


def value_roles(options: ReadOptions) -> tuple[list[Role], ReadOptions]:
    """The roles of the columns that have values, and the options that name these columns.

    Args:
        options: Those of a user; of the names, `value` may have several with commas between.

    Raises:
        UserError: If a name is empty, or is there twice.

    Example:
        >>> roles, _ = value_roles(ReadOptions.of({"value_column": "price, stars"}))
        >>> [role.name for role in roles]
        ['price', 'stars']
    """
    value_column = options.names.value
    if value_column is None or "," not in value_column:
        return [VALUE], options
    reserved = (TEXT.name, SECOND.name, IMAGE.name)
    names = listed_names(value_column, VALUE.option, "numbers", reserved)
    roles = [Role(name, VALUE.kind, listed_in=VALUE.name) for name in names]
    return roles, options.with_names(roles, value=None)


def read_values(data: TableData, options: ReadOptions = DEFAULT) -> ValuedTexts:
    """Reads texts, or pairs of texts, with values; see `read_columns`.

    Args:
        data: One or several files, or a list of (text, value) or (text, second text, value), with
            as many values as the options name.
        options: How tables are read; of the names, `value` may have several with commas between.

    Raises:
        DataError: If a row is invalid, such as one with a value that is not a finite number.
        UserError: If a file is missing, has an unknown format or contains no rows, its columns
            are ambiguous, or the values are labels.

    Example:
        >>> read_values([("a fine film", 4.5), ("a dull one", 1)]).values
        [(4.5,), (1.0,)]
    """
    roles, options = value_roles(options)
    columns = read_columns(data, [TEXT, SECOND, *roles], "texts with values", options)
    if not columns.cells.get("text"):
        raise UserError(f"{columns.path} contains no texts with values")
    texts = {role: [cell.strip() for cell in cells] for role, cells in columns.cells.items()}
    rows = cell_values(columns.path, columns.cells, roles)
    names_found = value_names(roles, columns.names, columns.header)
    second = texts.get("second")
    return ValuedTexts(
        columns.path, texts["text"], second, rows, names_found, source=columns.source
    )


def cell_values(
    path: str, cells: Mapping[str, Sequence[str]], roles: Sequence[Role]
) -> list[tuple[float, ...]]:
    """The values of each row, from the cells of each role.

    Raises:
        UserError: If the cells of a role are written in different ways.
    """
    columns = (_numbers(path, role.name, cells[role.name]) for role in roles)
    return list(zip(*columns, strict=True))


def _numbers(path: str, name: str, cells: Sequence[str]) -> list[float]:
    """The values of a column; see `read_numbers`.

    Raises:
        UserError: If its cells are written in different ways.
    """
    bad: dict[int, str] = {}
    numbers: list[float] = read_numbers(name, cells, bad).tolist()
    if bad:
        raise UserError(f"{path}: {bad[min(bad)]}")
    return numbers


def value_names(roles: Sequence[Role], columns: Mapping[str, str], header: bool) -> list[str]:
    """The name of each value: that of its column, where it has one."""
    return [columns.get(role.name, role.name) if header else role.name for role in roles]
