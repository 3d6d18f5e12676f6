"""The search for options: trials, each of which is a run, of which bad ones end early."""

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.cli.console import show_json
from zoo.cli.run_lists import facts_of_all, show_runs
from zoo.cli.search_space import Dimension
from zoo.errors import UserError
from zoo.json_file import read_json, write_json
from zoo.option_names import spelled
from zoo.run_facts import ordered, runs_in
from zoo.training.callbacks import EpochResult
from zoo.training.history import History

if TYPE_CHECKING:
    import optuna

FILE = "trials.json"  # of the folder of a search
RUNNING, COMPLETE, PRUNED = "running", "complete", "pruned"
FIRST = 4  # trials that train to their end, before others are compared with them

Train = Callable[[Path, dict[str, Any], "Reporter", bool], History]


@dataclass(frozen=True)
class Trial:
    """A trial as it is stored.

    Args:
        drawn: What Optuna drew, by name of the option.
        options: The values of the options.
        state: "running", "complete" or "pruned".
        monitor: The metric that is compared; empty before the first epoch.
        mode: Whether it is better if it is lower, "min", or higher, "max".
        best: Its best value.
        values: Its values by epoch.
    """

    drawn: Mapping[str, Any]
    options: Mapping[str, Any]
    state: str = RUNNING
    monitor: str = ""
    mode: str = "min"
    best: float | None = None
    values: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises a TypeError or a ValueError unless it is one."""
        numbers = [*self.values.values(), *([] if self.best is None else [self.best])]
        if not all(isinstance(each, float | int) for each in numbers):
            raise TypeError("a value of a metric is no number")
        if self.state not in (RUNNING, COMPLETE, PRUNED) or self.mode not in ("min", "max"):
            raise ValueError(f"a trial is {self.state!r:.40}")
        if {*self.drawn} != {*self.options} or not all(map(str.isdecimal, self.values)):
            raise ValueError("a trial has other options than were drawn")

    @property
    def sign(self) -> float:
        """The factor that makes lower values better."""
        return 1.0 if self.mode == "min" else -1.0


class Reporter:
    """Tells Optuna the metric of each epoch, and ends a trial that is worse than others.

    It is a `zoo.training.callbacks.EpochCallback`.

    Args:
        trial: Optuna's trial.
        stored: The trial as it is stored.
        store: Function that stores it.
    """

    def __init__(
        self, trial: "optuna.Trial", stored: Trial, store: Callable[[Trial], None]
    ) -> None:
        self.trial, self.stored, self._store = trial, stored, store

    def on_epoch(self, result: EpochResult) -> bool:
        value = result.monitored
        if value is None or result.monitor is None:
            return False
        values = {**self.stored.values, str(result.epoch): value}
        stored = replace(self.stored, monitor=result.monitor, mode=result.mode, values=values)
        best = min(stored.sign * each for each in values.values()) * stored.sign
        self.stored = replace(stored, best=best)
        self._store(self.stored)
        self.trial.report(stored.sign * value, result.epoch)
        return bool(self.trial.should_prune())


def search_options(
    space: Sequence[Dimension], count: int, out: Path, seed: int, resume: bool, train: Train
) -> list[Trial]:
    """Trains a run for each trial, in the folders trial-1, trial-2 and so on.

    Source: Bergstra et al. 2011, section 4 (tree-structured Parzen estimator, by Optuna); a trial
    ends if its metric is worse than the median of the others at the same epoch (Golovin et al.
    2017, section 3.2.1).

    Args:
        space: The options that are tried.
        count: The number of trials in all.
        out: The folder of the run folders.
        seed: Random seed of the search.
        resume: Whether to continue the search in the folder.
        train: Function that trains a run in a folder with options, and with a callback; the last
            argument is whether to resume it.

    Returns:
        The trials.

    Raises:
        UserError: If Optuna is not installed, or the folder has other trials.
    """
    try:
        import optuna
    except ImportError:
        raise UserError("--search requires Optuna: pip install 'keras-attn[search]'") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    trials = _stored(out, space, resume)
    study = optuna.create_study(
        sampler=optuna.samplers.TPESampler(seed=seed + len(trials)),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=FIRST, n_warmup_steps=1),
    )
    for number in range(count):
        known = trials[number] if number < len(trials) else None
        if known is not None:
            study.enqueue_trial(dict(known.drawn))
        asked = study.ask()
        options = {each.name: each.draw(asked) for each in space}
        if known is None or known.state == RUNNING:
            stored = known or Trial(asked.params, options)
            known = _train(asked, stored, number, trials, out, resume, train)
        else:
            for epoch, value in known.values.items():
                asked.report(known.sign * value, int(epoch))
        if known.best is None:
            raise UserError(
                "no metric of the validation data was computed, by which to compare options"
            )
        state = optuna.trial.TrialState
        ended = state.PRUNED if known.state == PRUNED else state.COMPLETE
        study.tell(asked, None if ended is state.PRUNED else known.sign * known.best, ended)
    return trials


def _train(
    asked: "optuna.Trial",
    stored: Trial,
    number: int,
    trials: list[Trial],
    out: Path,
    resume: bool,
    train: Train,
) -> Trial:
    """Trains one trial, which is stored before, after each epoch, and at the end."""
    trials[number:] = [stored]

    def store(trial: Trial) -> None:
        trials[number] = trial
        out.mkdir(parents=True, exist_ok=True)
        write_json(out / FILE, [asdict(each) for each in trials])

    store(stored)
    shown = ", ".join(f"{name} {value}" for name, value in stored.options.items())
    print(f"trial {number + 1}: {shown}", file=sys.stderr, flush=True)
    for epoch, value in stored.values.items():  # those before it was interrupted
        asked.report(stored.sign * value, int(epoch))
    reporter = Reporter(asked, stored, store)
    history = train(out / f"trial-{number + 1}", dict(stored.options), reporter, resume)
    ended = PRUNED if history.stopped == "callback" else COMPLETE
    store(replace(reporter.stored, state=ended))
    return trials[number]


def _stored(out: Path, space: Sequence[Dimension], resume: bool) -> list[Trial]:
    """The trials of a search that is continued.

    Raises:
        UserError: If there are some and the search is a new one, or they are of other options.
    """
    path = out / FILE
    if not path.exists():
        return []
    try:
        trials = [Trial(**each) for each in read_json(path, list)]
        names = {tuple(each.drawn) for each in trials}
    except (TypeError, ValueError, AttributeError, OSError) as error:
        raise UserError(f"{path} is damaged ({error}): choose another --out") from None
    if not resume:
        if any(each.values for each in trials):
            raise UserError(f"{out} has trials: continue with --resume, or choose another --out")
        return []  # none got as far as an epoch
    if names - {tuple(each.name for each in space)}:
        raise UserError(f"the trials in {out} are of other options: give the same --search")
    return trials


def show_trials(trials: Sequence[Trial], out: Path, json: bool) -> None:
    """Prints the runs, best first, and which one is the best."""
    names = {f"trial-{number + 1}" for number in range(len(trials))}
    runs = [each for each in runs_in(out) if each.name in names]
    order = sorted(range(len(trials)), key=lambda n: _rank(trials[n]))
    best, first = f"trial-{order[0] + 1}", trials[order[0]]
    if json:
        stored = [asdict(each) for each in trials]
        show_json({**facts_of_all(runs), "trials": stored, "best": best})
        return
    print()
    show_runs(ordered(runs, first.monitor), first.monitor)
    ended = sum(each.state == PRUNED for each in trials)
    print(f"{ended} of {len(trials)} trials ended early, since others were better")
    values = " ".join(
        f"{spelled(name)} {shlex.quote(str(value))}" for name, value in first.options.items()
    )
    print(f"best: {out / best}, {first.monitor} {first.best:.4g}, with {values}")


def _rank(trial: Trial) -> tuple[bool, float]:
    complete = trial.state == COMPLETE and trial.best is not None
    return not complete, 0.0 if trial.best is None else trial.sign * trial.best
