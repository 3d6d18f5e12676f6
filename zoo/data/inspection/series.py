"""The tasks that can be trained on series whose columns do not change in each, and on arrays."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from zoo.data.inspection.fits import Fits
from zoo.data.inspection.label_sets import label_set_options
from zoo.data.inspection.results import ColumnFacts, Fit, Inspection, Options
from zoo.data.readers.files import paths_of
from zoo.data.readers.npz import read_arrays
from zoo.data.readers.numbers import is_numeric
from zoo.data.readers.profile import is_flag
from zoo.data.readers.table import Table
from zoo.data.readers.text_columns import TextColumns
from zoo.data.series.archives import is_archive, read_archive
from zoo.data.series.label_sets import read_label_set_series
from zoo.data.series.labeled import CLASSES, LABEL, read_labeled_series
from zoo.data.series.read import read_series
from zoo.data.series.reading import BETWEEN, ReadingOptions
from zoo.data.series.recognition import has_series
from zoo.data.series.rows import SeriesRows
from zoo.data.series.tables import SERIES
from zoo.data.series.time_column import TIME
from zoo.data.series.valued import read_valued_series
from zoo.errors import UserError

Attempt = tuple[str, Options, Callable[..., SeriesRows]]


def fits_of_series(
    path: str | Path, tables: Sequence[Table], facts: Sequence[ColumnFacts], given: Options
) -> Fits | None:
    """The tasks that fit a table of series with labels or values; None for another table.

    Such a table has a column of the names of series, and another that does not change within one.

    Args:
        path: The table.
        tables: Its content.
        facts: The facts about its columns.
        given: Options that name columns.
    """
    names = tables[0].names
    series = given.get("series_column") or next(
        (each for known in SERIES for each in names if each.strip().lower() == known), None
    )
    if series not in names or any(each.kind == "text" for each in facts):
        return None
    cells = {name: [x for t in tables for x in t.texts(t.names.index(name))] for name in names}
    kept = _constant(cells, series)
    if not kept:
        return None
    tasks: list[Fit] = []
    notes: list[str] = []
    reasons: list[str] = []
    if has_series(paths_of(path)[0], given.get("encoding")):
        notes = [str(read_series(path, ReadingOptions.of(given)))]
        tasks = [Fit("series-forecaster", {})]
    beside = {*kept, series, *(name for name in names if name.strip().lower() in TIME)}
    steps = [name for name in names if name not in beside and is_numeric(cells[name])]
    for task, options, read in _attempts(path, tables, facts, cells, kept, given):
        options |= _values(options, kept, steps, cells)
        named = {**given, **options}
        reading = ReadingOptions.of({**named, "target_column": named.get("value_column")})
        try:
            series = read(options=reading)
        except UserError as error:
            reasons.append(f"{task}: {error}")
            continue
        tasks.append(Fit(task, options))
        notes.append(str(series))
    return Fits(tasks, TextColumns(str(path)), notes[:1] or reasons)


def _constant(cells: dict[str, list[str]], series: str) -> list[str]:
    """The columns that do not change within a series of several rows, but between some."""
    names = {*cells[series]}
    if not 1 < len(names) <= len(cells[series]) / 2:
        return []
    pairs = {name: {*zip(cells[series], own, strict=True)} for name, own in cells.items()}
    return [
        name
        for name, own in cells.items()
        if name != series and len(pairs[name]) == len(names) and len({*own}) > 1
    ]


def _attempts(
    path: str | Path,
    tables: Sequence[Table],
    facts: Sequence[ColumnFacts],
    cells: dict[str, list[str]],
    kept: Sequence[str],
    given: Options,
) -> Iterator[Attempt]:
    """Each task with its options and its reader: several labels, one label, values."""
    numbers = [name for name in kept if is_numeric(cells[name])]
    measured = [x for x in numbers if not all(map(is_flag, cells[x])) and x.lower() not in LABEL]
    labels = [name for name in kept if name not in measured]
    several = False
    known = [each for each in facts if each.name in labels]
    for options in label_set_options(tables, known, given):
        mark, several = options.get("label_separator", "|"), True
        sets = partial(read_label_set_series, path, separator=mark)
        yield "series-classifier", options, sets
    for name in [] if several else labels:
        options = {} if name.strip().lower() in LABEL else {"label_column": name}
        yield "series-classifier", options, partial(read_labeled_series, path, label=name)
    if measured:
        target = BETWEEN.join(measured)
        read = partial(read_valued_series, path, target=target)
        yield "series-regressor", {"target_column": target}, read


def _values(
    options: Options, kept: Sequence[str], steps: Sequence[str], cells: dict[str, list[str]]
) -> Options:
    """The option that names the values of each step, if other columns of numbers do not change."""
    named = {*(options.get("label_column") or options.get("target_column") or "").split(BETWEEN)}
    others = [x for x in kept if x not in named and is_numeric(cells[x])]
    return {"value_column": BETWEEN.join(steps)} if others and steps else {}


def _answers(path: str | Path) -> np.ndarray:
    """What the series of a file have beside them: labels, values, or nothing."""
    if is_archive(path):
        archive = read_archive(path)
        return np.array([*map(float, archive.answers)] if archive.has_values else archive.answers)
    arrays = read_arrays(paths_of(path)[0])
    return next((arrays[name] for name in CLASSES if name in arrays), np.zeros(0))


def inspect_series(path: str | Path) -> Inspection:
    """Inspects arrays of series: a row is a series."""
    y = _answers(path)
    options: Options = {}
    columns: list[ColumnFacts] = []
    examples: SeriesRows
    if y.ndim == 2 and bool(np.isin(y, (0, 1)).all()):
        task, options = "series-classifier", {"multi_label": True}
        examples = read_label_set_series(paths_of(path))
    elif y.dtype.kind == "f":
        task, examples = "series-regressor", read_valued_series(paths_of(path))
    else:
        labeled = read_labeled_series(paths_of(path))
        task, examples = "series-classifier", labeled
        columns = [ColumnFacts.of("label", labeled.labels)]
    rows, keys = len(examples.series), {each.key() for each in examples.series}
    fits = [Fit(task, options)]
    doubled = rows - len(keys)
    return Inspection(str(path), rows, None, columns, [], 0, doubled, None, fits, str(examples), [])
