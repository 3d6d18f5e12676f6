"""Rows of named columns in a UTF-8 file: TSV, CSV and JSON lines."""

import csv
import json
import pathlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from zoo.data.lines import read_lines
from zoo.errors import DataError, UserError

FORMATS = (".tsv", ".csv", ".jsonl")
Columns = Sequence[tuple[str, ...]]  # the forms that a row may have
Row = tuple[int, list[str]]


def read_rows(path: pathlib.Path, columns: Columns, what: str) -> Iterator[Row]:
    """The rows of a file, each with the number of its line; blank lines are rows without cells.

    `.tsv`: a tab between cells; quotation marks mean nothing. `.csv`: cells quoted where need be,
    with a header that names the columns or without; with one, other columns may stand beside them.
    `.jsonl`: an object on each line, with the columns as its keys.

    Args:
        path: the file; its name tells the format.
        columns: the names of the columns; of several forms, the longest that fits is taken.
        what: what the file holds, for messages.

    Raises:
        DataError: at the first row that has none of the forms, or an empty cell.
        UserError: if the file is missing or of another format.
    """
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise UserError(f"{path}: {what} are read from files named {', '.join(FORMATS)}")
    parse = {".tsv": _tsv, ".csv": _csv, ".jsonl": _jsonl}[kind]
    forms = sorted(columns, key=len, reverse=True)
    for number, cells in parse(path, list(read_lines(path)), forms):
        if cells:
            check_row(path, number, cells, forms)
        yield number, cells


def given_rows(data: Iterable[Sequence[Any]], path: str, columns: Columns) -> list[Row]:
    """Rows in memory, each with its number, held to what `read_rows` holds files to.

    Args:
        data: the rows; what is None or no number, as where a table has a gap, is an empty cell.
        path: what to call them.
        columns: as of `read_rows`.

    Raises:
        DataError: at the first row that has none of the forms, or an empty cell.

    Example:
        >>> given_rows([("a hat", 1)], "rows in memory", [("text", "label")])
        [(1, ['a hat', '1'])]
    """
    found = []
    for number, row in enumerate(data, 1):
        if isinstance(row, str):  # whose letters would be cells
            raise DataError(path, number, "expected a tuple of texts, found one text")
        cells = ["" if cell is None or cell != cell else str(cell) for cell in row]
        check_row(path, number, cells, columns)
        found.append((number, cells))
    return found


def check_row(path: str | pathlib.Path, number: int, cells: list[str], forms: Columns) -> None:
    """Raises a DataError unless the cells are those of one of the forms, and none is empty."""
    names = next((form for form in forms if len(form) == len(cells)), None)
    if names is None:
        counts = " or ".join(str(len(form)) for form in sorted(forms, key=len))
        raise DataError(path, number, f"expected {counts} columns, found {len(cells)}")
    for name, cell in zip(names, cells, strict=True):
        if not cell.strip():
            raise DataError(path, number, f"the {name} is empty")


def _tsv(path: pathlib.Path, lines: list[str], forms: Columns) -> Iterator[Row]:
    for number, line in enumerate(lines, 1):
        yield number, line.rstrip("\r\n").split("\t") if line.strip() else []


def _csv(path: pathlib.Path, lines: list[str], forms: Columns) -> Iterator[Row]:
    reader = csv.reader(lines, strict=True)
    header: list[str] | None = None  # empty: there is none
    chosen: list[int] = []  # the places of our columns in it
    number = 1
    try:
        for cells in reader:
            names = [cell.strip().lower() for cell in cells]
            form = next((form for form in forms if set(form) <= set(names)), None)
            if not any(names) and len(cells) < 2:
                yield number, []
            elif header is None and form is not None:
                header, chosen = names, [names.index(name) for name in form]
            elif not header:
                header = []
                yield number, cells
            elif len(cells) != len(header):
                reason = f"expected {len(header)} columns, found {len(cells)}"
                raise DataError(path, number, reason)
            else:
                yield number, [cells[place] for place in chosen]
            number = reader.line_num + 1  # a quoted cell may hold newlines
    except csv.Error as error:
        raise DataError(path, number, str(error)) from None


def _jsonl(path: pathlib.Path, lines: list[str], forms: Columns) -> Iterator[Row]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            yield number, []
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise DataError(path, number, f"not JSON: {error}") from None
        needed = forms[-1]
        if not isinstance(row, dict):
            keys = " and ".join(f'"{name}"' for name in needed)
            raise DataError(path, number, f"expected an object with {keys}")
        form = next((form for form in forms if set(form) <= row.keys()), needed)
        for name in form:
            # A label may be a number.
            kinds = (str, int, float) if name == "label" else (str,)
            if not isinstance(row.get(name), kinds):
                raise DataError(path, number, f'expected a text as "{name}"')
        yield number, [str(row[name]) for name in form]
