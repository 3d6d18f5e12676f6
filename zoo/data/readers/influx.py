"""Rows of InfluxDB's annotated CSV: without annotations, with a name for each series."""

from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path

from zoo.data.readers.rows import Row
from zoo.data_statistics import counted, warn_once

GROUP, DEFAULT, DATATYPE = "#group", "#default", "#datatype"
ANNOTATIONS = {GROUP, DEFAULT, DATATYPE, "#constant", "#timezone", "#concat"}
# Columns of the query, not of the data.
OF_QUERY = {"", "result", "table", "_start", "_stop"}
KEYS = ("measurement", "tag")  # data types of columns that name a series, in files for writing
SERIES = "series"  # the name of the column that is added
NOTE = "InfluxDB's annotations are no rows; series = "


def without_annotations(path: Path, rows: Iterator[Row]) -> Iterator[Row]:
    """The rows of a table, of which those of annotated CSV become a plain table.

    Source: InfluxData, "Annotated CSV" and "Extended annotated CSV", of InfluxDB 2. Empty cells
        have the default of their column; the header of a further table of the same columns is left
        out. The columns of the group, such as the measurement, the field and the tags, make the
        name of a series in a column `series`.

    Args:
        path: The file, for the warning.
        rows: Its rows.
    """
    first = next(rows, None)
    if first is None or not _annotation(first.cells):
        return rows if first is None else chain([first], rows)
    return _plain(path, chain([first], rows))


def _annotation(cells: Sequence[str]) -> str:
    """Which annotation a row is; empty for another row."""
    word = cells[0].split(" ")[0] if cells else ""
    return word if word in ANNOTATIONS else ""


def _plain(path: Path, rows: Iterator[Row]) -> Iterator[Row]:
    notes: dict[str, list[str]] = {}
    names: list[str] = []  # of the first table
    header: list[str] = []
    kept: list[int] = []
    key: list[int] = []
    for row in rows:
        if row.reason is not None or not row.cells:
            yield row
        elif what := _annotation(row.cells):
            first = row.cells[0].removeprefix(what).strip()
            notes, header = ({} if header else notes) | {what: [first, *row.cells[1:]]}, []
        elif not header:
            header = row.cells
            key = [n for n, name in enumerate(header) if _is_key(n, notes) and name not in OF_QUERY]
            if names:
                continue
            names = header
            kept = [n for n, name in enumerate(names) if name not in OF_QUERY]
            warn_once(f"{path}: {NOTE}{', '.join(names[n] for n in key) or 'one'}")
            yield row._replace(cells=[*([SERIES] if key else []), *(names[n] for n in kept)])
        elif header != names or len(row.cells) != len(names):
            reason = f"expected {counted(len(names), 'columns')}, {', '.join(names)}"
            yield row._replace(reason=reason if header != names else f"{reason}: {len(row.cells)}")
        else:
            pairs = zip_longest(row.cells, notes.get(DEFAULT, [])[: len(names)], fillvalue="")
            cells = [cell or default for cell, default in pairs]
            series = [" ".join(cells[n] for n in key)] if key else []
            yield row._replace(cells=[*series, *(cells[n] for n in kept)])


def _is_key(index: int, notes: dict[str, list[str]]) -> bool:
    """Whether a column is one of those that name a series."""
    group, types = (notes.get(each, [])[index : index + 1] for each in (GROUP, DATATYPE))
    return group == ["true"] or (not group and types[:1] in ([KEYS[0]], [KEYS[1]]))
