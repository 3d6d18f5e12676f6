"""Tables of Excel workbooks (`.xlsx`), whose columns have types."""

import datetime
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa

from zoo.data.readers.files import opened
from zoo.data.readers.header import check_names, layout_of
from zoo.data.readers.layout import Layout
from zoo.data.readers.preamble import named_lines, without_notes
from zoo.data.readers.rows import Row
from zoo.data.readers.table import Table, text_of
from zoo.data_statistics import counted, warn_once
from zoo.errors import UserError

if TYPE_CHECKING:
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet

XLSX = ".xlsx"
LARGEST = 1 << 30  # bytes of the decompressed parts of a workbook
CELLS = 50_000_000  # maximum number of cells of a sheet
SAMPLE = 1000  # rows from which the header is inferred
INT64 = 2**63  # integers are below it
MIDNIGHT = datetime.time()
ERRORS = frozenset(("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"))
Values = tuple[int, list[Any]]  # the number of a row, and the values of its cells


def read_workbook(path: Path, named: Sequence[str] = ()) -> Table:
    """The table of the first visible sheet with cells.

    Cells have the values that were computed last, of formulas too; macros are never run, and cells
    with errors such as `#N/A` are missing values. A column of numbers has numbers, and dates are
    texts as in ISO 8601. Hidden and empty rows are left out. The line of a row is its number in the
    sheet.

    Source: ISO/IEC 29500-1, SpreadsheetML, as `openpyxl` reads it.

    Args:
        path: The file.
        named: Column names that the user gave, which help to recognize a header.

    Raises:
        UserError: If `openpyxl` is missing, or the file is damaged, too large, or has no cells.
    """
    if find_spec("openpyxl") is None:
        raise UserError(
            f"{path} is an Excel workbook, for which openpyxl is needed: "
            "pip install 'keras-attn[excel]', or save the table as CSV"
        )
    with _reading(path):
        _check_size(path)
        rows = _rows(path)
    width = max(len(values) for _, values in rows)
    rows = [(line, values + [None] * (width - len(values))) for line, values in rows]
    texts = [Row(line, [*map(text_of, values)]) for line, values in rows]
    sure = [*named, *(texts[0].cells if _names_columns(rows[:SAMPLE]) else ())]
    layout = layout_of([row.cells for row in texts[:SAMPLE]], sure)
    head = layout.header is not None
    begin = layout.above + head + (layout.below if head else 0)
    _warn(path, texts[: layout.above], "above")
    _warn(path, texts[layout.above + head : begin], "below the header of")
    kept = without_notes(
        iter(texts[begin:]), width, layout.above > 0, lambda notes: _warn(path, notes, "below")
    )
    lines = [row.line for row in kept if row.cells]
    values = dict(rows)
    return _table(path, layout, lines, [values[line] for line in lines], head)


def _names_columns(rows: Sequence[Values]) -> bool:
    """Whether the first row has texts only, one above a column of numbers.

    Example:
        >>> _names_columns([(1, ["price"]), (2, [3])]), _names_columns([(1, ["a"]), (2, ["b"])])
        (True, False)
    """
    (_, first), *others = rows
    columns = zip(*(values for _, values in others), strict=True)
    numeric = (
        any(x is not None for x in column)
        and all(x is None or isinstance(x, int | float) for x in column)
        for column in columns
    )
    return all(isinstance(name, str) for name in first) and any(numeric)


def _table(
    path: Path, layout: Layout, lines: list[int], rows: list[list[Any]], header: bool
) -> Table:
    layout = layout.without_nameless([[*map(text_of, row)] for row in rows[:SAMPLE]])
    check_names(layout.names, path)
    indices = range(layout.width) if layout.indices is None else layout.indices
    columns = [_column([row[index] for row in rows]) for index in indices]
    data = pa.table(columns, names=list(layout.names))
    return Table(str(path), data, np.array(lines, "int64"), header)


def _column(values: list[Any]) -> pa.Array:
    """A column of numbers, if all of its values are numbers; else of texts.

    Example:
        >>> _column([1, None, 2.5]).type, _column([7, None]).type, _column([7, "a"]).to_pylist()
        (DataType(double), DataType(int64), ['7', 'a'])
    """
    there = [value for value in values if value is not None]
    if there and all(type(value) is int and abs(value) < INT64 for value in there):
        return pa.array(values, pa.int64())
    if there and all(type(value) in (int, float) for value in there):
        return pa.array([None if x is None else float(x) for x in values], pa.float64())
    return pa.array([*map(text_of, values)], pa.string())


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Context manager that reports a damaged workbook."""
    try:
        with opened(path):  # for the same error messages about missing files
            pass
        with warnings.catch_warnings(action="ignore"):  # of styles and forms that are not read
            yield
    except UserError:
        raise
    except MemoryError:
        raise UserError(f"{path} is too large: save its table as CSV") from None
    except Exception as error:  # of whatever openpyxl meets in the XML of others
        reason = f"{type(error).__name__}: {error}".partition("\n")[0][:200]
        raise UserError(f"{path} is not an Excel workbook, or is damaged: {reason}") from None


def _check_size(path: Path) -> None:
    """Refuses a workbook that would be very large, before any part of it is decompressed."""
    with zipfile.ZipFile(path) as archive:
        size = sum(part.file_size for part in archive.infolist())
    if size > LARGEST:
        raise UserError(
            f"{path} has {size:,} bytes of decompressed parts, and at most {LARGEST:,} are read: "
            "save its table as CSV"
        )


def _rows(path: Path) -> list[Values]:
    """The rows with cells of the first visible sheet that has any."""
    from openpyxl import load_workbook

    book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
    with closing(book):
        sheets = [each for each in book.worksheets if each.sheet_state == "visible"]
        for sheet in sheets or book.worksheets:
            hidden = _hidden_rows(path, sheet)
            rows, skipped = _rows_of(path, sheet, hidden)
            if skipped:
                warn_once(f"{path}: {counted(skipped, 'hidden rows')} not read")
            if rows:
                if len(book.worksheets) > 1:
                    warn_once(f"{path}: reads the sheet {sheet.title!r}, the first with cells")
                return rows
    raise UserError(f"{path} has no visible cells")


def _hidden_rows(path: Path, sheet: "ReadOnlyWorksheet") -> set[int]:
    """The numbers of the rows that are hidden, which `openpyxl` does not tell of a read-only sheet.

    Args:
        path: The file.
        sheet: The sheet.
    """
    hidden: set[int] = set()
    number = 0
    with zipfile.ZipFile(path) as archive, archive.open(sheet._worksheet_path) as stream:
        for _, element in ElementTree.iterparse(stream):
            if element.tag.rpartition("}")[2] == "row":
                number = int(element.get("r", number + 1))
                if element.get("hidden") in ("1", "true"):
                    hidden.add(number)
                element.clear()
    return hidden


def _rows_of(path: Path, sheet: "ReadOnlyWorksheet", hidden: set[int]) -> tuple[list[Values], int]:
    sheet.reset_dimensions()  # which a file may state as it likes
    rows, cells, skipped = [], 0, 0
    for line, given in enumerate(sheet.iter_rows(values_only=True), 1):
        values = [*map(_value, given)]
        while values and values[-1] is None:
            values.pop()
        if not values:
            continue
        if line in hidden:
            skipped += 1
            continue
        cells += len(values)
        if cells > CELLS:
            raise UserError(
                f"{path} has more than {CELLS:,} cells in the sheet {sheet.title!r}: save its "
                "table as CSV or Parquet"
            )
        rows.append((line, values))
    return rows, skipped


def _value(cell: Any) -> Any:
    """A value of a cell: None, a number, a boolean or a text.

    Example:
        >>> _value(datetime.datetime(2024, 2, 1)), _value(datetime.datetime(2024, 2, 1, 7, 30))
        ('2024-02-01', '2024-02-01 07:30:00')
        >>> _value("#N/A"), _value("  "), _value(2.5)
        (None, None, 2.5)
    """
    if isinstance(cell, datetime.datetime):
        return str(cell.date() if cell.time() == MIDNIGHT else cell)
    if isinstance(cell, str):
        return cell if cell.strip() and cell not in ERRORS else None
    if cell is None or isinstance(cell, bool | int | float):
        return cell
    return str(cell)  # dates, times and durations


def _warn(path: Path, rows: Sequence[Row], where: str) -> None:
    if rows:
        warn_once(f"{path}: {named_lines(rows, where)}")
