"""Inputs whose columns have names: data frames and columns by name, in the order of the model."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

COLUMNS = "columns"  # of the config of an artifact: the names of the last axis, by input
MISSING = ("", "nan", "na", "n/a", "null", "none", "?")


@runtime_checkable
class Frame(Protocol):
    """A data frame: columns by name."""

    @property
    def columns(self) -> Iterable[str]: ...
    def __getitem__(self, name: Any, /) -> Any: ...


def with_columns(name: str, value: Any, columns: Sequence[str], sizes: Sequence[int | None]) -> Any:
    """The values of an input (B, T, C), or (N, C), whose C columns have names.

    Columns that are given by name may be in any order, and others beside them are ignored with a
    warning. Values without names are taken by position.

    Args:
        name: The input.
        value: An array or nested lists; or, with names, one table or, of an input with a batch, a
            list of them. A table is a data frame, a dictionary of columns, or a list with a
            dictionary for each row.
        columns: The names of its columns.
        sizes: The size of each axis, None where it is dynamic.

    Raises:
        ValueError: If a column is missing, is not numbers, or there are too many without names.

    Example:
        >>> given = {"low": [1, 2], "high": [5, None]}
        >>> with_columns("values", given, ["high", "low"], [None, None, 2]).tolist()
        [[[5.0, 1.0], [nan, 2.0]]]
    """
    tables = _named_tables(value)
    if tables is None:
        shape = np.shape(value)
        if len(shape) == len(sizes) and shape[-1] != len(columns):
            wanted = f"{len(columns)} values in each row ({', '.join(columns)})"
            raise ValueError(f"input {name!r} must have {wanted}; received {shape[-1]}.")
        return value
    rows = [_in_order(name, each, columns) for each in tables]
    if unused := {other: None for each in tables for other in each if other not in columns}:
        listed = ", ".join(unused)
        warnings.warn(f"input {name!r}: the columns {listed} are not used.", stacklevel=3)
    if len(sizes) == 2:
        return np.concatenate(rows)
    size = sizes[1] or max(map(len, rows), default=0)
    array = np.full((len(rows), size, len(columns)), np.nan, "float32")
    for target, each in zip(array, rows, strict=True):
        last = each[max(0, len(each) - size) :]
        target[size - len(last) :] = last
    return array


def inputs_of(
    rows: Sequence[Any], inputs: Mapping[str, Any], config: Mapping[str, Any]
) -> Mapping[str, list[Any]] | list[Any]:
    """The rows of each input, or those of the only input, from the rows of a batch.

    Args:
        rows: Rows of the only input, or dictionaries with a row of each input; a table whose
            columns have names is a row, too.
        inputs: The inputs by name.
        config: What the manifest says of the task.

    Example:
        >>> inputs_of([{"a": 1, "b": 2}, {"a": 3, "b": 4}], {"a": {}, "b": {}}, {})
        {'a': [1, 3], 'b': [2, 4]}
        >>> inputs_of([{"low": [1, 2]}], {"values": {}}, {"columns": {"values": ["low"]}})
        [{'low': [1, 2]}]
    """
    first = rows[0]
    is_table = bool(config.get(COLUMNS)) and len(inputs) == 1
    if not isinstance(first, Mapping) or (is_table and not inputs.keys() <= first.keys()):
        return list(rows)
    return {name: [row[name] for row in rows] for name in first}


def _named_tables(value: Any) -> list[Mapping[str, Sequence[Any]]] | None:
    """The columns of each table by name; None if they have no names."""
    if isinstance(value, Mapping | Frame) and not isinstance(value, np.ndarray):
        return [_columns_of(value)]
    if not isinstance(value, list | tuple) or not value:
        return None
    first = value[0]
    if isinstance(first, Mapping) and not any(map(_is_column, first.values())):
        return [_of_rows(value)]
    if isinstance(first, Mapping | Frame) and not isinstance(first, np.ndarray):
        return [_columns_of(each) for each in value]
    if isinstance(first, list | tuple) and first and isinstance(first[0], Mapping):
        return [_of_rows(each) for each in value]
    return None


def _is_column(value: Any) -> bool:
    return not isinstance(value, str | bytes) and isinstance(value, Iterable)


def _columns_of(value: Any) -> dict[str, list[Any]]:
    names = value if isinstance(value, Mapping) else value.columns
    return {str(name): list(value[name]) for name in names}


def _of_rows(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    names = {str(name): name for row in rows for name in row}
    return {text: [row.get(name) for row in rows] for text, name in names.items()}


def _in_order(name: str, given: Mapping[str, Sequence[Any]], columns: Sequence[str]) -> np.ndarray:
    if absent := [each for each in columns if each not in given]:
        raise ValueError(
            f"input {name!r} has no column {', '.join(absent)}; its columns are {', '.join(given)}."
        )
    if len({len(given[each]) for each in columns}) > 1:
        raise ValueError(f"input {name!r}: the columns differ in length.")
    return np.array([_numbers(name, each, given[each]) for each in columns], "float32").T


def _numbers(name: str, column: str, cells: Sequence[Any]) -> list[float]:
    numbers = []
    for cell in cells:
        if cell is None or (isinstance(cell, str) and cell.strip().lower() in MISSING):
            numbers.append(np.nan)
            continue
        try:
            numbers.append(float(cell))
        except (TypeError, ValueError):
            raise ValueError(
                f"input {name!r}: {column} must be numbers; received {cell!r}."
            ) from None
    return numbers
