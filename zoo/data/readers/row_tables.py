"""Tables of rows of texts, which have a cell for each column of a layout, or are invalid."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from zoo.data.readers.layout import Layout
from zoo.data.readers.rows import Row
from zoo.data.readers.table import Table
from zoo.data_statistics import counted

QUOTES = ": cells that contain the separator belong between double quotes"


def fitted(row: Row, layout: Layout) -> Row:
    """A row with the cells of the columns of a layout, or the reason why it has others."""
    if row.reason is not None or not row.cells:
        return row
    cells = layout.fit(row.cells)
    if cells is None:
        width = counted(layout.width, "columns")
        reason = f"expected {width}, found {len(row.cells)}"
        reason += QUOTES if len(row.cells) > layout.width else ""
        return row._replace(reason=reason, fits=False)
    return row if cells is row.cells else row._replace(cells=cells)


def table_of_rows(
    path: str, names: Sequence[str], rows: Sequence[Row], header: bool = True
) -> Table:
    """The table of rows of texts, which are invalid or have a cell for each name."""
    valid = [row for row in rows if row.cells and row.reason is None]
    problems: dict[str, dict[int, str]] = {}
    for row in valid:
        for name, reason in row.problems.items():
            problems.setdefault(name, {})[row.line] = reason
    columns = zip(*(row.cells for row in valid), strict=True) if valid else [()] * len(names)
    return Table(
        path,
        pa.table([pa.array(cells, pa.string()) for cells in columns], names=list(names)),
        np.array([row.line for row in valid], "int64"),
        header,
        bad=[(row.line, row.reason) for row in rows if row.reason is not None],
        blank=sum(not row.cells and row.reason is None for row in rows),
        problems=problems,
        unread=[] if header else [row.line for row in rows if row.reason and row.fits],
    )
