"""A short training that tells what to expect of a long one."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zoo import quantities
from zoo.cli.console import load
from zoo.json_file import read_json
from zoo.registry import TASKS
from zoo.registry_rows import resolve

METRICS = "metrics.json"


@dataclass(frozen=True)
class Trial:
    """What a short training tells.

    Args:
        seconds: How long it took.
        progress: The part of all planned epochs, from 0 to 1.
        whole: How long all of them take, in seconds; None if no step was trained.
        ended: Whether the training ended of itself, as if it were not short.
        metric: The name of the first metric; None if nothing was measured.
        value: Its value.
        baselines: Those of baselines, by their name.
        measured_on: The data that the metric is of.
        told: Sentences on a model that is no better than a baseline.
    """

    seconds: float
    progress: float
    whole: float | None
    ended: bool
    metric: str | None = None
    value: float = 0.0
    baselines: Mapping[str, float] | None = None
    measured_on: str = ""
    told: Sequence[str] = ()

    def lines(self) -> list[str]:
        """What to expect, in sentences.

        Example:
            >>> trial = Trial(20.0, 0.25, 80.0, False, "accuracy", 0.71, {"majority": 0.5}, "a.csv")
            >>> print(*trial.lines(), sep="\\n")
            All epochs take about 1 min 20 s on this machine, and fewer if it stops early.
            After 25% of them: accuracy 0.71 on a.csv. A baseline: majority 0.5.
        """
        took = quantities.duration(self.seconds)
        done = "less than 1%" if self.progress < 0.01 else f"{self.progress:.0%}"
        if self.ended:
            lines = [f"The training takes about {took} on this machine."]
        elif self.whole is not None:
            whole = quantities.duration(self.whole)
            lines = [f"All epochs take about {whole} on this machine, and fewer if it stops early."]
        else:
            return [f"In {took} not one step was trained: expect hours, or choose a smaller model."]
        if self.metric is None:
            return lines
        when = "At its end" if self.ended else f"After {done} of them"
        lines.append(f"{when}: {self.metric} {self.value:.4g} on {self.measured_on}.")
        known = self.baselines or {}
        if known:
            named = ", ".join(f"{name} {value:.4g}" for name, value in known.items())
            lines[-1] += f" {'Baselines' if len(known) > 1 else 'A baseline'}: {named}."
        begin = "" if self.ended else "So far "
        return [*lines, *(f"{begin}{sentence}" for sentence in self.told)]


def try_out(
    task: str, options: Mapping[str, Any], data: Any, validation: Any, seconds: float
) -> Trial:
    """Trains a task for some seconds, and forgets it.

    Args:
        task: Name of the task.
        options: Its settings.
        data: The training data.
        validation: The validation data, or the fraction to hold out; None for none.
        seconds: For how long to train, after the data were read.

    Raises:
        UserError: If the data cannot be trained on.
    """
    load("zoo")
    metrics, formats = load("zoo.report.metrics"), load("zoo.report.formats")
    self_check = load("zoo.tasks.self_check")
    trained = resolve(TASKS[task].path)(**options)
    with tempfile.TemporaryDirectory(prefix="keras-attn-trial-") as name:
        folder = Path(name)
        history = trained.fit(
            data, validation, folder=folder, max_minutes=seconds / 60, verbose=False
        )
        trained.save(folder)
        path = folder / METRICS
        measured = read_json(path, dict) if path.exists() else {}
    ended = history.stopped != "time"
    comparison = metrics.comparison_of(measured)
    if not comparison.model:
        return Trial(history.seconds, history.progress, history.expected_seconds, ended)
    first = next(iter(comparison.model))
    return Trial(
        history.seconds,
        history.progress,
        history.expected_seconds,
        ended,
        formats.spell(first),
        comparison.model[first],
        {name: own[first] for name, own in comparison.of_baselines().items() if first in own},
        str(measured.get("data", "")),
        self_check.no_better_than_baselines(comparison, history),
    )
