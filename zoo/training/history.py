"""The metrics of a run by epoch: what `train` returns, and what `history.csv` contains."""

import csv
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from zoo import notebook
from zoo.atomic import replacing

HISTORY = "history.csv"


@dataclass(frozen=True)
class History:
    """Result of a training run, including all its resumes.

    Args:
        epoch: Numbers of the epochs, from 1.
        history: Values of each metric by epoch; None where it was not computed.
        best_epoch: The epoch whose weights the model has now; with averaging, the best one of them.
        monitor: Name of the monitored metric, or None.
        best_value: Best value of the monitored metric; with averaging, that of the mean weights.
        averaged: Whether the model has the mean weights of several checkpoints.
        stopped: Why training ended: "finished", "patience", "callback", "time" or
            "interrupted".
        seconds: Training time, in seconds.
        progress: The part of all planned epochs that was trained, from 0 to 1.
        expected_seconds: How long all planned epochs take, by the median time of the last steps,
            without the validation of those that are left; None if no step was trained.
        advice: What would probably make the model better, as far as the training says so.
        how_far: The number of complete epochs, and the batches of one that was cut, in words.
    """

    epoch: list[int]
    history: dict[str, list[Any]]
    best_epoch: int
    monitor: str | None
    best_value: float | None
    averaged: bool
    stopped: str
    seconds: float
    progress: float = 1.0
    expected_seconds: float | None = None
    advice: tuple[str, ...] = ()
    how_far: str = ""

    def _repr_html_(self) -> str:
        best = "" if self.monitor is None else f", best {self.monitor} {self.best_value:.4g}"
        facts = f"{len(self.epoch)} epochs in {self.seconds:.0f} s, {self.stopped}{best}"
        name = self.monitor if self.monitor in self.history else "loss"
        shown = [name.removeprefix("val_"), name]
        values = {each: self.history[each] for each in shown if each in self.history}
        advice = "".join(f"<p>would probably help: {escape(x)}</p>" for x in self.advice)
        curves = notebook.curves(self.epoch, values)
        return f"<p>{escape(facts)}, at epoch {self.best_epoch}</p>{curves}{advice}"


def columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Converts rows of metrics to columns; missing values are None.

    Example:
        >>> columns([{"epoch": 1, "loss": 3.0}, {"epoch": 2, "loss": 2.0, "bleu": 7.0}])
        {'epoch': [1, 2], 'loss': [3.0, 2.0], 'bleu': [None, 7.0]}
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [row.get(name) for row in rows] for name in names}


def write_csv(rows: list[dict[str, Any]], path: Path) -> None:
    """Writes the rows as a CSV file. The whole file is rewritten, so that resuming repeats no row.

    Args:
        rows: One dict of metrics per epoch.
        path: Path of the file.
    """
    with replacing(path) as partial, open(partial, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(columns(rows)))
        writer.writeheader()
        writer.writerows(rows)
