"""A short training that tells what to expect of a long one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from zoo import quantities
from zoo.cli.console import load
from zoo.options import values_of
from zoo.registry import TASKS
from zoo.registry_rows import resolve

ROWS = 64  # maximum number of validation rows to answer for a metric that training does not compute
EARLY = 0.1  # part of a training below which a comparison with baselines says little


@dataclass(frozen=True)
class Trial:
    """What a short training tells.

    Args:
        seconds: How long it took.
        progress: The part of all planned epochs, from 0 to 1.
        whole: How long all of them take, in seconds; None if no step was trained.
        ended: Whether the training ended of itself, as if it were not short.
        settings: The settings of the task, with those that the data decided, by name.
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
    settings: Mapping[str, Any] = field(default_factory=dict)
    metric: str | None = None
    value: float = 0.0
    baselines: Mapping[str, float] | None = None
    measured_on: str = ""
    told: Sequence[str] = ()

    def lines(self) -> list[str]:
        """What to expect, in sentences.

        Example:
            >>> known = "accuracy", 0.71, {"majority": 0.5}, "a.csv"
            >>> trial = Trial(20.0, 0.25, 80.0, False, {}, *known)
            >>> print(*trial.lines(), sep="\\n")
            All epochs take about 1 min 20 s on this machine, less if it stops early.
            After 25% of them: accuracy 0.71 on a.csv. A baseline: majority 0.5.
        """
        took = quantities.duration(self.seconds)
        done = "less than 1%" if self.progress < 0.01 else f"{self.progress:.0%}"
        if self.ended:
            lines = [f"The training takes about {took} on this machine."]
        elif self.whole is not None:
            whole = quantities.duration(self.whole)
            lines = [f"All epochs take about {whole} on this machine, less if it stops early."]
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
        told = self.told if self.ended or self.progress >= EARLY else ()
        return [*lines, *(f"{begin}{sentence}" for sentence in told)]


def try_out(
    task: str,
    options: Mapping[str, Any],
    data: Any,
    validation: Any,
    seconds: float,
    phase: Callable[[str], None],
) -> Trial:
    """Trains a task for some seconds, and forgets it.

    XLA stays off: compiling each way to train takes longer than most trials.

    Args:
        task: Name of the task.
        options: Its settings.
        data: The training data.
        validation: The validation data, or the fraction to hold out; None for none.
        seconds: For how long to train, after the data were read.
        phase: Told what is being done, in words.

    Raises:
        UserError: If the data cannot be trained on.
    """
    load("zoo")
    fits, runs = load("zoo.tasks.fit"), load("zoo.tasks.training_run")
    comparisons, self_check = load("zoo.tasks.validation_comparison"), load("zoo.tasks.self_check")
    formats = load("zoo.report.formats")
    trained = resolve(TASKS[task].path)(**options)
    given = {"max_minutes": seconds / 60, "verbose": False, "xla": False}
    training, session = fits.fit_options(trained, given)
    phase("reading the data")
    fitting = fits.prepare_fit(trained, data, validation, training, session, True)
    phase(f"training for {seconds:g} s")
    history = runs.train_on(trained, fitting, training, session)
    phase("measuring")
    comparison = comparisons.compared(trained, fitting, history, most=ROWS)
    ended = history.stopped != "time"
    settings = values_of(trained.settings)
    if fitting.held_out is None or not (comparison.model and history.best_epoch):
        return Trial(history.seconds, history.progress, history.expected_seconds, ended, settings)
    first = next((name for name in comparison.model if name != "loss"), "loss")
    return Trial(
        history.seconds,
        history.progress,
        history.expected_seconds,
        ended,
        settings,
        formats.spell(first),
        comparison.model[first],
        {name: own[first] for name, own in comparison.of_baselines().items() if first in own},
        str(comparisons.validation_of(trained.files)),
        self_check.no_better_than_baselines(comparison, history),
    )
