"""Readers of the files of a run, for the report."""

import csv
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from zoo import json_file
from zoo.data.readers.files import read_lines
from zoo.errors import UserError

# What reading something of another form raises.
UNEXPECTED = (
    ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError, csv.Error
)  # fmt: skip
LARGEST = 1e100  # a difference of two values is drawn, too
# Columns of history.csv that are not metrics of the model.
BOOKKEEPING = ("epoch", "seconds", "learning_rate", "tokens", "tokens_per_second")
LONGEST = 1000  # characters of a cell of a history


@contextmanager
def reading(path: str | os.PathLike, kind: str = "a file of the run") -> Iterator[None]:
    """Names the file in which something is not what the report expects.

    Raises:
        UserError: If what is done with the contents fails.
    """
    try:
        yield
    except UNEXPECTED as error:
        raise UserError(f"{path} is not {kind}: {error}") from error


def read_json(path: str | os.PathLike) -> dict[str, Any]:
    """Reads a JSON object; returns an empty dict if the file does not exist.

    Args:
        path: Path of the file.

    Returns:
        The object as a dict.

    Raises:
        UserError: If the file is not a JSON object.
    """
    path = Path(path)
    if not path.exists():
        return {}
    with reading(path):
        return json_file.read_json(path, dict)


def read_history(path: str | os.PathLike) -> dict[str, list[float]]:
    """Reads the columns of history.csv; cells that are no number, or too large to draw, are NaN.

    Raises:
        UserError: If it is not a table of UTF-8 text.

    Example:
        >>> read_history("no/such/run/history.csv")
        {}
    """
    path = Path(path)
    if not path.exists():
        return {}
    with reading(path):
        rows = list(csv.DictReader(read_lines(path)))
        if any(len(str(cell)) > LONGEST for row in rows for cell in row.values()):
            raise ValueError(f"a cell has more than {LONGEST} characters")
    columns = [name for name in (rows[0] if rows else {}) if name]
    return {name: [_number(row[name]) for row in rows] for name in columns}


def measures(history: Mapping[str, list[float]]) -> dict[str, tuple[list[float], list[float]]]:
    """Returns the training and the validation values of each metric, NaN where there are none.

    Example:
        >>> measures({"epoch": [1], "loss": [2.0], "val_loss": [2.5], "val_bleu": [9.0]})
        {'loss': ([2.0], [2.5]), 'bleu': ([nan], [9.0])}
    """
    names = dict.fromkeys(name.removeprefix("val_") for name in history if name not in BOOKKEEPING)
    count = len(next(iter(history.values()), []))
    missing = [math.nan] * count
    pairs = {n: (history.get(n, missing), history.get(f"val_{n}", missing)) for n in names}
    return {
        name: pair
        for name, pair in pairs.items()
        if any(math.isfinite(value) for values in pair for value in values)
    }


def _number(cell: str | None) -> float:
    try:
        value = float(cell or "nan")
    except ValueError:
        return math.nan
    return value if abs(value) < LARGEST else math.nan
