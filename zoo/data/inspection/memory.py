"""The tasks that data fit: of a file, of a table in memory, and of rows in memory."""

from collections.abc import Mapping, Sequence
from typing import Any

from zoo.data.inspection import inspect
from zoo.data.inspection.fits import fits_by_columns
from zoo.data.inspection.results import Fit
from zoo.data.inspection.tables import column_facts
from zoo.data.readers.files import is_path, paths_of
from zoo.data.readers.memory_tables import table_in_memory

LISTS = (list, tuple, set, frozenset)


def fits_of(data: Any, options: Mapping[str, Any]) -> list[Fit]:
    """The tasks on texts that can be trained on data, the likeliest first.

    Args:
        data: A file, several, of which the first one decides, a table in memory, or a list of
            rows, of which the last cell is what to predict.
        options: Options of the tasks that name columns, and `encoding`.

    Raises:
        UserError: If a file is missing, or cannot be read.

    Example:
        >>> fits_of([("a fine film", 4.5), ("a dull one", 1)], {})
        [Fit(task='text-regressor', options={})]
    """
    if is_path(data):
        return inspect(paths_of(data)[0], options=options).fits
    table = table_in_memory(data)
    if table is not None:
        return fits_by_columns([table], column_facts([table]), dict(options)).tasks
    return _fits_of_rows(data)


def _fits_of_rows(rows: Sequence[Any]) -> list[Fit]:
    last = [row[-1] for row in rows if isinstance(row, list | tuple) and row]
    if last and all(isinstance(cell, LISTS) for cell in last):
        if all(isinstance(row[0], LISTS) for row in rows):
            return [Fit("token-tagger", {})]
        return [Fit("text-classifier", {"multi_label": True})]
    numbers = all(type(cell) in (int, float) for cell in last)
    if numbers and any(cell != int(cell) for cell in last):
        return [Fit("text-regressor", {})]
    return [Fit("text-classifier", {})]
