"""Reading tables with named columns: TSV, CSV, JSON lines, or rows in memory."""

import csv
import json
import os
import pathlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeGuard

from zoo.errors import DataError, UserError

FORMATS = (".tsv", ".csv", ".jsonl")
IN_MEMORY = "data in memory"
Columns = Sequence[tuple[str, ...]]  # the possible sets of columns, which are called forms
Row = tuple[int, list[str]]


def read_rows(data: Any, columns: Columns, what: str) -> Iterator[Row]:
    """Yields the number and the cells of each row of a file or a list; no cells for blank lines.

    `.tsv`: tab-separated cells, without quoting.
    `.csv`: comma-separated cells with standard quoting, and optionally a header with the names of
    the columns. Files with a header may have additional columns, which are ignored.
    `.jsonl`: one object per line, whose keys are the names of the columns.

    Args:
        data: A UTF-8 file, whose suffix determines the format, or a list of rows. In a list, None
            and NaN are missing values, which become empty cells.
        columns: The possible sets of columns. If several match a row, the largest is used.
        what: Description of the data, for messages.

    Raises:
        DataError: If a row matches none of `columns`, or has an empty cell.
        UserError: If the file is missing or has an unknown format.

    Example:
        >>> list(read_rows([("a hat", 1)], [("text", "label")], "labeled texts"))
        [(1, ['a hat', '1'])]
    """
    forms = sorted(columns, key=len, reverse=True)
    if not is_path(data):
        yield from _in_memory(data, forms)
        return
    path = pathlib.Path(data)
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise UserError(f"{path}: {what} can be read from {', '.join(FORMATS)} files")
    parse = {".tsv": _tsv, ".csv": _csv, ".jsonl": _jsonl}[kind]
    for number, cells in parse(path, read_lines(path), forms):
        if cells:
            check_row(path, number, cells, forms)
        yield number, cells


def is_path(data: Any) -> TypeGuard[str | os.PathLike]:
    """Whether the data are a path, not data in memory."""
    return isinstance(data, str | os.PathLike)


def name_of(data: Any) -> str:
    """The name of the data in messages."""
    return str(data) if is_path(data) else IN_MEMORY


def read_lines(path: pathlib.Path) -> Iterator[str]:
    """Yields the lines of a UTF-8 file with their newlines, without a byte order mark.

    Lines end at newlines only, unlike those of `str.splitlines`.

    Raises:
        DataError: If a line is not valid UTF-8.
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


def _in_memory(data: Iterable[Sequence[Any]], forms: Columns) -> Iterator[Row]:
    for number, row in enumerate(data, 1):
        if isinstance(row, str):  # its characters would be the cells
            raise DataError(IN_MEMORY, number, "expected a tuple of texts, found one text")
        cells = ["" if cell is None or cell != cell else str(cell) for cell in row]
        check_row(IN_MEMORY, number, cells, forms)
        yield number, cells


def check_row(path: str | pathlib.Path, number: int, cells: list[str], forms: Columns) -> None:
    """Raises a `DataError` unless the row matches one of the forms and no cell is empty."""
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
    header: list[str] | None = None  # None: not known yet; empty: there is none
    chosen: list[int] = []  # the indices of the required columns in the header
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
            number = reader.line_num + 1  # a quoted cell may contain newlines
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
            # Labels may be numbers.
            kinds = (str, int, float) if name == "label" else (str,)
            if not isinstance(row.get(name), kinds):
                raise DataError(path, number, f'expected a text as "{name}"')
        yield number, [str(row[name]) for name in form]
