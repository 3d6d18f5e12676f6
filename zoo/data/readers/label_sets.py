"""The reader of texts, and pairs of texts, with any number of labels."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from zoo.data.label_sets import Labels, LabelSetRows
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.files import is_path
from zoo.data.readers.json_rows import texts_of
from zoo.data.readers.memory_tables import table_in_memory
from zoo.data.readers.profile import flag_of
from zoo.data.readers.read_columns import TableData, read_columns
from zoo.data.readers.roles import IMAGE, LABELS, SECOND, TEXT, Role
from zoo.data.readers.text_rows import TextRows
from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.option_names import listed_names, option_name


@dataclasses.dataclass(frozen=True)
class LabelSetTexts(LabelSetRows, TextRows):
    """Texts or pairs of texts, with any number of labels."""

    def __str__(self) -> str:
        facts = f"{counted(len(self.texts), self.what)} with {self.label_facts}"
        return self.described([facts])


def read_label_sets(
    data: TableData, options: ReadOptions = DEFAULT, separator: str = "|"
) -> LabelSetTexts:
    """Reads texts, or pairs of texts, with any number of labels; see `read_columns`.

    Args:
        data: One or several files, or a list of (text, labels) or (text, second text, labels),
            where labels are a list.
        options: How tables are read; of the names, `label` may have several with commas between:
            columns of 0 and 1, true and false, or yes and no.
        separator: Separator between the labels of a cell that is no list, in JSON or Python.

    Raises:
        DataError: If a row is invalid, such as one with a cell that says neither yes nor no.
        UserError: If a file is missing, has an unknown format or contains no rows, or its columns
            are ambiguous.

    Example:
        >>> read_label_sets([("a fine film", ["good", "short"]), ("a film", [])]).label_sets
        [('good', 'short'), ()]
    """
    roles, options = label_set_roles(options)
    rows: Any = data
    if not is_path(data) and table_in_memory(data) is None:
        rows = [_with_cell(row) for row in rows]
    columns = read_columns(rows, [TEXT, SECOND, *roles], "labeled texts", options)
    if not columns.cells.get("text"):
        raise UserError(f"{columns.path} contains no labeled texts")
    texts = {
        role: [x.strip() for x in columns.cells[role]]
        for role in ("text", "second")
        if role in columns.cells
    }
    sets, flags = cell_label_sets(columns.cells, roles, separator)
    second = texts.get("second")
    return LabelSetTexts(
        columns.path,
        texts["text"],
        second,
        label_sets=sets,
        flags=flags,
        source=columns.source,
    )


def cell_label_sets(
    cells: Mapping[str, Sequence[str]], roles: Sequence[Role], separator: str
) -> tuple[list[Labels], Labels]:
    """The labels of each row, and those that have a column of their own.

    Args:
        cells: The cells of each role.
        roles: The roles of `label_set_roles`.
        separator: Separator between the labels of a cell that is no list in JSON.

    Raises:
        UserError: If there is no separator.
    """
    if not separator:
        raise UserError(f"{option_name('label_separator')} must have a character")
    if LABELS in roles:
        return [labels_of(cell, separator) for cell in cells[LABELS.name]], ()
    flags = tuple(role.name for role in roles)
    rows = zip(*(map(flag_of, cells[name]) for name in flags), strict=True)
    return [tuple(n for n, x in zip(flags, row, strict=True) if x) for row in rows], flags


def label_set_roles(options: ReadOptions) -> tuple[list[Role], ReadOptions]:
    """The roles of the columns that have labels, and the options that name these columns.

    Args:
        options: Those of a user; if `label` has several names with commas between, each is a
            column of 0 and 1.

    Raises:
        UserError: If a name is empty, or is there twice.

    Example:
        >>> roles, _ = label_set_roles(ReadOptions.of({"label_column": "toxic, insult"}))
        >>> [role.name for role in roles]
        ['toxic', 'insult']
    """
    label_column = options.names.label
    if label_column is None or "," not in label_column:
        return [LABELS], options
    reserved = (TEXT.name, SECOND.name, IMAGE.name)
    names = listed_names(label_column, LABELS.option, "0 and 1", reserved)
    roles = [Role(name, "flag", listed_in=LABELS.name) for name in names]
    return roles, options.with_names(roles, label=None)


def _with_cell(row: Any) -> Any:
    """A row in memory with its list of labels as one cell."""
    if isinstance(row, Sequence) and row and isinstance(row[-1], list | tuple | set | frozenset):
        labels = sorted(row[-1]) if isinstance(row[-1], set | frozenset) else list(row[-1])
        return (*row[:-1], json.dumps(labels) if labels else "")
    return row


def labels_of(cell: str, separator: str) -> tuple[str, ...]:
    """The labels of a cell, each once.

    Example:
        >>> labels_of("b|a|b", "|"), labels_of('["a", "b"]', "|"), labels_of("['a']", "|")
        (('b', 'a'), ('a', 'b'), ('a',))
    """
    listed = texts_of(cell)
    parts = cell.split(separator) if listed is None else listed
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip() not in ("", "[]")))
