"""Rows of named columns: TSV, CSV and JSON lines in UTF-8, or a list."""

import csv
import json
import os
import pathlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeGuard

from zoo.errors import DataError, UserError

FORMATS = (".tsv", ".csv", ".jsonl")
IN_MEMORY = "data in memory"
Columns = Sequence[tuple[str, ...]]  # the forms that a row may have
Row = tuple[int, list[str]]


def read_rows(data: Any, columns: Columns, what: str) -> Iterator[Row]:
    """The rows of a file or of a list, each with its number; blank lines are rows without cells.

    `.tsv`: a tab between cells; quotation marks mean nothing. `.csv`: cells quoted where needed,
    with or without a header that names the columns; with one, other columns may stand beside them.
    `.jsonl`: an object on each line, with the columns as its keys.

    Args:
        data: The file, whose name tells the format, or a list of rows. In a list, None and NaN, as
            where a table has a gap, are empty cells.
        columns: The names of the columns; of several forms, the longest that fits is taken.
        what: What the data hold, for messages.

    Raises:
        DataError: At the first row that has none of the forms, or an empty cell.
        UserError: If the file is missing or of another format.

    Example:
        >>> list(read_rows([("a hat", 1)], [("text", "label")], "labelled texts"))
        [(1, ['a hat', '1'])]
    """
    forms = sorted(columns, key=len, reverse=True)
    if not is_path(data):
        yield from _given(data, forms)
        return
    path = pathlib.Path(data)
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise UserError(f"{path}: {what} are read from files named {', '.join(FORMATS)}")
    parse = {".tsv": _tsv, ".csv": _csv, ".jsonl": _jsonl}[kind]
    for number, cells in parse(path, read_lines(path), forms):
        if cells:
            check_row(path, number, cells, forms)
        yield number, cells


def is_path(data: Any) -> TypeGuard[str | os.PathLike]:
    """Whether data are named by a path, and not given in memory."""
    return isinstance(data, str | os.PathLike)


def name_of(data: Any) -> str:
    """What messages call the data."""
    return str(data) if is_path(data) else IN_MEMORY


def read_lines(path: pathlib.Path) -> Iterator[str]:
    """The lines of a UTF-8 file with their ends, split at newlines only, without a byte order mark.

    Raises:
        DataError: At the first line that is not UTF-8.
        UserError: If the file is missing or cannot be read.
    """
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    yield line.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    byte = line[error.start]
                    reason = f"byte 0x{byte:02x} at column {error.start + 1} is not UTF-8"
                    raise DataError(path, number, reason) from None
    except FileNotFoundError:
        raise UserError(f"{path} does not exist") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None


def _given(data: Iterable[Sequence[Any]], forms: Columns) -> Iterator[Row]:
    for number, row in enumerate(data, 1):
        if isinstance(row, str):  # whose letters would be cells
            raise DataError(IN_MEMORY, number, "expected a tuple of texts, found one text")
        cells = ["" if cell is None or cell != cell else str(cell) for cell in row]
        check_row(IN_MEMORY, number, cells, forms)
        yield number, cells


def check_row(path: str | pathlib.Path, number: int, cells: list[str], forms: Columns) -> None:
    """Raises a DataError unless the cells are those of one of the forms, and none is empty."""
    names = next((form for form in forms if len(form) == len(cells)), None)
    if names is None:
        counts = " or ".join(str(len(form)) for form in sorted(forms, key=len))
        raise DataError(path, number, f"expected {counts} columns, found {len(cells)}")
    for name, cell in zip(names, cells, strict=True):
        if not cell.strip():
            raise DataError(path, number, f"the {name} is empty")


def _tsv(path: pathlib.Path, lines: Iterator[str], forms: Columns) -> Iterator[Row]:
    for number, line in enumerate(lines, 1):
        yield number, line.rstrip("\r\n").split("\t") if line.strip() else []


def _csv(path: pathlib.Path, lines: Iterator[str], forms: Columns) -> Iterator[Row]:
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


def _jsonl(path: pathlib.Path, lines: Iterator[str], forms: Columns) -> Iterator[Row]:
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
