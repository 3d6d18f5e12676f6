"""The numbers of a run, epoch by epoch: what `train` returns and what `history.csv` holds."""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zoo.atomic import replacing


@dataclass(frozen=True)
class History:
    """The outcome of a training run, over all its resumes.

    Args:
        epoch: The epochs' numbers, from 1.
        history: Each quantity by name, one value an epoch (None where it was not measured).
        best_epoch: The epoch whose weights the model has now (of an average: the best of them).
        monitor: The watched quantity, or None.
        best_value: Its best value, the averaged weights' where those are used.
        averaged: Whether the model has the mean of several checkpoints' weights.
        stopped: "finished", "patience", "time" or "interrupted".
        seconds: Time spent training.
    """

    epoch: list[int]
    history: dict[str, list[Any]]
    best_epoch: int
    monitor: str | None
    best_value: float | None
    averaged: bool
    stopped: str
    seconds: float


def columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Rows of numbers as columns; a number that a row lacks is None.

    Example:
    >>> columns([{"epoch": 1, "loss": 3.0}, {"epoch": 2, "loss": 2.0, "bleu": 7.0}])
    {'epoch': [1, 2], 'loss': [3.0, 2.0], 'bleu': [None, 7.0]}
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [row.get(name) for row in rows] for name in names}


def write_csv(rows: list[dict[str, Any]], path: Path) -> None:
    """Writes the rows as a table. The whole table each time: resuming never repeats a row.

    Args:
        rows: One dict of numbers an epoch.
        path: The file.
    """
    with replacing(path) as partial, open(partial, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(columns(rows)))
        writer.writeheader()
        writer.writerows(rows)
