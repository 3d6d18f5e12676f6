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


def with_columns(name: str, value: Any, columns: Sequence[str], length: int | None) -> Any:
    """The values of an input (B, T, C) whose C columns have names.

    Columns that are given by name may be in any order, and others beside them are ignored with a
    warning. Values without names are taken by position.

    Args:
        name: The input.
        value: An array or nested lists; or, with names, one series or a list of them. A series is a
            data frame, a dictionary of columns, or a list with a dictionary for each step.
        columns: The names of its columns.
        length: The only number of steps T; None if there may be any.

    Raises:
        ValueError: If a column is missing, is not numbers, or there are too many without names.

    Example:
        >>> with_columns("values", {"low": [1, 2], "high": [5, None]}, ["high", "low"], None)
        array([[[ 5.,  1.],
                [nan,  2.]]], dtype=float32)
    """
    series = _named_series(value)
    if series is None:
        shape = np.shape(value)
        if len(shape) == 3 and shape[-1] != len(columns):
            wanted = f"{len(columns)} ({', '.join(columns)})"
            raise ValueError(
                f"input {name!r} must have {wanted} values in a step, not {shape[-1]}."
            )
        return value
    rows = [_in_order(name, each, columns) for each in series]
    size = length or max(map(len, rows), default=0)
    found = np.full((len(rows), size, len(columns)), np.nan, "float32")
    for place, each in zip(found, rows, strict=True):
        last = each[max(0, len(each) - size) :]
        place[size - len(last) :] = last
    unused = {other: None for each in series for other in each if other not in columns}
    if unused:
        listed = ", ".join(unused)
        warnings.warn(f"input {name!r}: the columns {listed} are not used.", stacklevel=3)
    return found


def _named_series(value: Any) -> list[Mapping[str, Sequence[Any]]] | None:
    """The columns of each series by name; None if they have no names."""
    if isinstance(value, Mapping | Frame) and not isinstance(value, np.ndarray):
        return [_columns_of(value)]
    if not isinstance(value, list | tuple) or not value:
        return None
    first = value[0]
    if isinstance(first, Mapping) and not any(map(_is_column, first.values())):
        return [_of_steps(value)]
    if isinstance(first, Mapping | Frame) and not isinstance(first, np.ndarray):
        return [_columns_of(each) for each in value]
    if isinstance(first, list | tuple) and first and isinstance(first[0], Mapping):
        return [_of_steps(each) for each in value]
    return None


def _is_column(value: Any) -> bool:
    return not isinstance(value, str | bytes) and isinstance(value, Iterable)


def _columns_of(value: Any) -> dict[str, list[Any]]:
    names = value if isinstance(value, Mapping) else value.columns
    return {str(name): list(value[name]) for name in names}


def _of_steps(steps: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    names = {str(name): name for step in steps for name in step}
    return {text: [step.get(name) for step in steps] for text, name in names.items()}


def _in_order(name: str, given: Mapping[str, Sequence[Any]], columns: Sequence[str]) -> np.ndarray:
    if absent := [each for each in columns if each not in given]:
        raise ValueError(
            f"input {name!r} has no column {', '.join(absent)}; its columns are {', '.join(given)}."
        )
    if len({len(given[each]) for each in columns}) > 1:
        raise ValueError(f"input {name!r}: the columns differ in length.")
    return np.array([_numbers(name, each, given[each]) for each in columns], "float32").T


def _numbers(name: str, column: str, cells: Sequence[Any]) -> list[float]:
    found = []
    for cell in cells:
        if cell is None or (isinstance(cell, str) and cell.strip().lower() in MISSING):
            found.append(np.nan)
            continue
        try:
            found.append(float(cell))
        except (TypeError, ValueError):
            raise ValueError(
                f"input {name!r}: {column} must be numbers; received {cell!r}."
            ) from None
    return found
