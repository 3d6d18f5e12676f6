"""Tables of a request whose columns have names, in the order that the model takes."""

from collections.abc import Sequence
from typing import Any

from zoo.server.limits import RequestError


def in_order(value: Any, columns: Sequence[str], unused: dict[str, None], where: str) -> Any:
    """The rows of one table as lists, in the order of the columns of the model.

    Args:
        value: An object with a list for each column, or a list with an object for each row; rows
            that are lists stay as they are.
        columns: The names of the columns of the model.
        unused: Takes the names of other columns.
        where: The beginning of error messages.

    Raises:
        RequestError: If a column is missing, columns differ in length, or a row has another number
            of values.

    Example:
        >>> unused = {}
        >>> in_order({"low": [1, 2], "wind": [9, 9], "high": [5, 6]}, ["high", "low"], unused, "")
        [[5, 1], [6, 2]]
        >>> [*unused]
        ['wind']
    """
    if isinstance(value, dict):
        _check(value, columns, unused, where)
        lists = [value[name] for name in columns]
        if not all(isinstance(each, list) for each in lists):
            raise RequestError(f"{where}: each column must be a list")
        if len({*map(len, lists)}) > 1:
            raise RequestError(f"{where}: the columns must have the same length")
        return [list(step) for step in zip(*lists, strict=True)]
    if not isinstance(value, list):
        return value
    if value and all(isinstance(step, dict) for step in value):
        for step in value:
            _check(step, columns, unused, where)
        return [[step[name] for name in columns] for step in value]
    for step in value:
        if isinstance(step, list) and len(step) != len(columns):
            listed = ", ".join(columns)
            message = f"a row has {len(columns)} values ({listed:.200}), got {len(step)}"
            raise RequestError(f"{where}: {message}")
    return value


def _check(
    named: dict[str, Any], columns: Sequence[str], unused: dict[str, None], where: str
) -> None:
    if absent := [name for name in columns if name not in named]:
        got = ", ".join(named) or "nothing"
        raise RequestError(f"{where} has no column {', '.join(absent):.200}; got {got:.200}")
    unused.update(dict.fromkeys(name for name in named if name not in columns))
