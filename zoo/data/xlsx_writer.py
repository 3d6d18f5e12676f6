"""Excel workbooks that are written part by part."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa

from zoo.errors import UserError

MOST_ROWS = 1_048_576  # of a sheet, with its header
CONTROLS = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f]")  # which a workbook cannot have


class XlsxWriter:
    """A workbook (`.xlsx`) with one sheet, whose first row has the names of the columns.

    Numbers, dates and true and false keep their types. Texts stay texts: one that begins with "="
    is no formula. Control characters are left out.

    Source: ISO/IEC 29500-1, SpreadsheetML, as `openpyxl` writes it.

    Args:
        path: The file.

    Raises:
        UserError: If `openpyxl` is missing.
    """

    def __init__(self, path: Path) -> None:
        if find_spec("openpyxl") is None:
            raise UserError(
                "an Excel workbook needs openpyxl: pip install 'keras-attn[excel]', or write a "
                ".csv file"
            )
        from openpyxl import Workbook

        self._path, self._rows = path, 0
        self._book = Workbook(write_only=True)
        self._sheet = self._book.create_sheet("predictions")

    def write(self, part: pa.Table) -> None:
        if not self._rows:
            self._append(part.column_names)
        for values in zip(*(column.to_pylist() for column in part.columns), strict=True):
            self._append(values)

    def close(self) -> None:
        """Ends the file."""
        self._book.save(self._path)

    def abandon(self) -> None:
        """Writes no file."""
        self._sheet.close()

    def _append(self, values: Sequence[Any]) -> None:
        self._rows += 1
        if self._rows > MOST_ROWS:
            raise UserError(f"a sheet has at most {MOST_ROWS:,} rows: write a .csv file")
        self._sheet.append([*map(self._cell, values)])

    def _cell(self, value: Any) -> Any:
        from openpyxl.cell import WriteOnlyCell

        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            return None
        if getattr(value, "tzinfo", None) is not None:  # of which a workbook has none
            value = str(value)
        if not isinstance(value, str | list | dict | bytes):
            return value
        cell = WriteOnlyCell(self._sheet, CONTROLS.sub("", str(value)))
        cell.data_type = "s"
        return cell
