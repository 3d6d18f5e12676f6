"""Inspects tables: their columns and rows, and the tasks that read them."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from zoo.data.inspection.facts import ColumnFacts, Inspection, Options
from zoo.data.inspection.fits import ROLES, Fits, fits_as_a_whole, fits_by_columns
from zoo.data.readers.columns import read_columns
from zoo.data.readers.files import paths_of
from zoo.data.readers.tables import read_table
from zoo.data_statistics import counted
from zoo.errors import UserError


def inspect_table(path: str | Path, validation: Any, given: Options) -> Inspection:
    """Inspects a table: a row is a row."""
    named = [name for option, name in given.items() if option.endswith("_column")]
    files = paths_of(path)
    tables = [read_table(file, "data", named, given.get("encoding")) for file in files]
    table = tables[0]
    for other in tables[1:]:
        if other.names != table.names:
            raise UserError(f"{other.path} has other columns than {table.path}: inspect it alone")
    every = [row for each in tables for row in each.rows]
    rows = [tuple(row.cells) for row in every if row.cells and row.reason is None]
    bad = [f"{row.line}: {row.reason}" for row in every if row.reason is not None]
    cells = [list(column) for column in zip(*rows, strict=True)]
    columns = [ColumnFacts.of(*each) for each in zip(table.names, cells, strict=False)]
    fits = fits_as_a_whole(path, files[0], given) or fits_by_columns(table, every, columns, given)
    found = fits.columns
    understood = "; ".join(fits.notes)
    if fits.tasks and found.cells:
        understood = found.source.describe(counted(len(rows), "rows"), found.cells)
    return Inspection(
        str(path),
        len(rows),
        table.header,
        columns,
        bad,
        sum(not row.cells and row.reason is None for row in every),
        len(rows) - len(set(rows)),
        None if validation is None else _overlap(fits, validation, given),
        fits.tasks,
        understood,
        [text for role, column in found.cells.items() if role != "label" for text in column],
    )


def _overlap(fits: Fits, validation: Any, given: Options) -> int:
    """How many validation rows are also training rows."""
    found = fits.columns
    if not found.cells:
        return 0
    task = fits.tasks[0]
    roles = next(roles for roles, names in ROLES if task.task in names)
    options = SimpleNamespace(**{**given, **task.options, "skip_bad_rows": True})
    other = read_columns(validation, roles, "validation data", options)
    names = [name for name in found.cells if name != "label"]
    known = set(zip(*(found.cells[name] for name in names), strict=True))
    return sum(row in known for row in zip(*(other.cells[name] for name in names), strict=True))
