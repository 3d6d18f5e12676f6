"""Rows of a JSON object that holds a table by its columns, as data frames are written."""

from typing import Any

FEWEST = 2  # columns and rows of a table


def rows_by_column(document: Any) -> list[dict[str, Any]] | None:
    """The rows of an object of columns, as `DataFrame.to_json` of pandas writes it; None of others.

    A column is an object with a value for each row, or a list of them; or the object has lists of
    `columns` and of rows of `data`.

    Example:
        >>> rows_by_column({"text": {"0": "a", "1": "b"}, "label": {"0": "x", "1": "y"}})
        [{'text': 'a', 'label': 'x'}, {'text': 'b', 'label': 'y'}]
        >>> rows_by_column({"columns": ["text", "label"], "data": [["a", "x"]]})
        [{'text': 'a', 'label': 'x'}]
        >>> rows_by_column({"data": [{"text": "a"}], "version": "1"})
    """
    if not isinstance(document, dict):
        return None
    names, data = document.get("columns"), document.get("data")
    if _are(names, str) and isinstance(data, list):
        fits = all(isinstance(row, list) and len(row) == len(names) for row in data)  # type: ignore
        return [dict(zip(names, row, strict=True)) for row in data] if fits else None  # type: ignore
    columns = {
        name: [*column.values()] if isinstance(column, dict) else column
        for name, column in document.items()
    }
    if len(columns) < FEWEST or not all(_are(x, str, int, float) for x in columns.values()):
        return None
    indices = {tuple(x) if isinstance(x, dict) else len(x) for x in document.values()}
    if len(indices) != 1 or len(next(iter(columns.values()))) < FEWEST:
        return None
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _are(cells: Any, *types: type) -> bool:
    return isinstance(cells, list) and all(cell is None or type(cell) in types for cell in cells)
