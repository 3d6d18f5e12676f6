"""The inspection of tables: their columns and rows, and the tasks that read them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from zoo.data.graphs.edge_tables import has_edges
from zoo.data.inspection.fits import Fits, fits_as_a_whole, fits_by_columns
from zoo.data.inspection.images import fits_of_images
from zoo.data.inspection.refusals import LABELS, note_of_numbers
from zoo.data.inspection.results import ColumnFacts, Inspection, Options
from zoo.data.inspection.series import fits_of_series
from zoo.data.readers.column_names import ColumnNames, ReadOptions
from zoo.data.readers.files import paths_of
from zoo.data.readers.read_columns import read_columns
from zoo.data.readers.table import Table
from zoo.data.readers.tables import TableReader, open_table
from zoo.data.readers.text_columns import TextColumns
from zoo.data.series.wide import times_among
from zoo.data_statistics import counted
from zoo.errors import UserError


def inspect_table(path: str | Path, validation: Any, given: Options) -> Inspection:
    """Inspects a table: a row is a row."""
    named, files = ColumnNames.of(given).given(), paths_of(path)
    readers = [_opened(file, named, given.get("encoding")) for file in files]
    first = readers[0].sample
    for each in (reader.sample for reader in readers[1:]):
        if set(each.names) != set(first.names):
            raise UserError(f"{each.path} has other columns than {first.path}: inspect it alone")
    tables = [reader.read() for reader in readers]
    rows = sum(map(len, tables))
    columns = column_facts(tables) if rows else []
    distinct = len({row for table in tables for row in _rows(table, first.names)})
    recognized = (
        fits_of_series(path, tables, columns, given)
        or fits_as_a_whole(path, files[0], given)
        or fits_of_images(path, tables, columns, given)
    )
    fits = recognized or _fits_by_columns(tables, columns, given)
    if not (named or recognized and recognized.tasks) and has_edges(first):
        fits = Fits([], TextColumns(first.path), [LABELS])
    text_columns = fits.columns
    understood = "; ".join(fits.notes)
    bad = [invalid for table in tables for invalid in table.bad]
    if fits.tasks and text_columns.cells:
        understood = text_columns.source.describe(counted(rows, "rows"), text_columns.cells)
        bad = [(line, reason) for _, line, reason in text_columns.bad]  # also for the first task
    return Inspection(
        str(path),
        rows,
        first.header,
        columns,
        [f"{line}: {reason}" for line, reason in bad],
        sum(table.blank for table in tables),
        rows - distinct,
        None if validation is None else _overlap(fits, validation, given),
        fits.tasks,
        understood,
        [text for role in fits.texts for text in text_columns.cells[role.name]],
    )


def _fits_by_columns(tables: list[Table], facts: list[ColumnFacts], given: Options) -> Fits:
    fits = fits_by_columns(tables, facts, given)
    note = "" if fits.tasks else note_of_numbers(tables[0])
    return replace(fits, notes=[note, *fits.notes]) if note else fits


def _opened(file: Path, named: list[str], encoding: str | None) -> TableReader:
    reader = open_table(file, "data", named, encoding)
    first = reader.sample.rows()[:1]
    is_wide = not reader.header and first and times_among(first[0])
    return reader.with_first_row_as_header() if is_wide else reader


def column_facts(tables: Sequence[Table]) -> list[ColumnFacts]:
    """The facts about each column of a table, or of several with the same columns."""
    names = tables[0].names
    places = [[(table, table.names.index(name)) for table in tables] for name in names]
    columns = [[cell for table, place in each for cell in table.texts(place)] for each in places]
    return [ColumnFacts.of(name, cells) for name, cells in zip(names, columns, strict=True)]


def _rows(table: Table, names: Sequence[str]) -> list[tuple[str, ...]]:
    """The rows of a table, whose columns may have another order."""
    columns = [table.texts(table.names.index(name)) for name in names]
    return list(zip(*columns, strict=True))


def _overlap(fits: Fits, validation: Any, given: Options) -> int:
    """How many validation rows are also training rows."""
    columns = fits.columns
    if not columns.cells:
        return 0
    names = [role.name for role in fits.texts]
    more = {name: columns.names[name] for name in names} if columns.header else {}
    options = replace(ReadOptions.of(given), skip_bad_rows=True, more=more)
    other = read_columns(validation, fits.texts, "validation data", options)
    known = set(zip(*(columns.cells[name] for name in names), strict=True))
    return sum(row in known for row in zip(*(other.cells[name] for name in names), strict=True))
