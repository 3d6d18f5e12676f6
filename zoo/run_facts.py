"""Facts of run folders, to list and to compare them; no model is loaded."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from zoo.data.held_out import Fold
from zoo.data_statistics import LOGGER
from zoo.errors import UserError
from zoo.heads.directions import is_lower_better
from zoo.json_file import read_json
from zoo.nearest import offered
from zoo.tasks.folder import measured_on
from zoo.tasks.measured_on import MeasuredOn, Seen
from zoo.training.how_far import how_far

CONFIG, METRICS, STATE = "config.json", "metrics.json", "checkpoints/state.json"
CHECKPOINTS = "checkpoints"  # of which the size of a run has nothing
SEED = "seed"
FILES, VALIDATION = "files", "validation_data"  # of a config
BEFORE = "val_"  # the name of a metric of the validation data


@dataclass(frozen=True)
class RunFacts:
    """What the files of a run say.

    Args:
        name: The path of the run in the folder that is listed.
        task: The task.
        data: The SHA-256 digests of the training data, by name.
        options: The settings, the options of the model and those of training, by name.
        metrics: Those that `evaluate` wrote, or else the best one of the validation data.
        measured_on: The names of the data of the metrics.
        seconds: The time of the training; None if it is not known.
        size: Bytes of the files, without checkpoints.
        fold: The fold that it was validated on, such as "fold 2 of 5"; empty if there was none.
        epochs: How many epochs were trained, in words; empty if it is not known.
    """

    name: str
    task: str
    data: Mapping[str, str]
    options: Mapping[str, Any]
    metrics: Mapping[str, float] = field(default_factory=dict)
    measured_on: str = ""
    seconds: float | None = None
    size: int = 0
    fold: str = ""
    epochs: str = ""

    @property
    def repeated(self) -> str:
        """What runs have in common that differ in nothing but the seed or the fold."""
        options = {name: x for name, x in self.options.items() if name != SEED}
        fold = Fold.parse(self.fold)
        folds = None if fold is None else fold.count
        own = (self.task, self.measured_on, folds)
        return repr((own, sorted(self.data.items()), sorted(options.items())))


def runs_in(folder: Path) -> list[RunFacts]:
    """The runs in a folder and in the folders inside it, in the order of their names.

    A run whose files are broken is left out, with a sentence in the log.

    Raises:
        UserError: If there is no such folder, or no run in it.
    """
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder")
    runs = []
    for path in _run_folders(folder):
        try:
            runs.append(facts_of(path, str(path.relative_to(folder))))
        except (UserError, OSError, ValueError, TypeError, AttributeError) as error:
            LOGGER.warning("%s is left out: %s", path, error)
    if not runs:
        raise UserError(f"{folder} contains no runs: name the folder that has the --out folders")
    return sorted(runs, key=lambda each: each.name)


def _run_folders(folder: Path) -> Iterable[Path]:
    for path, folders, files in os.walk(folder):
        if CONFIG in files:
            folders.clear()  # a run has no other runs in it
            yield Path(path)
        folders[:] = [each for each in folders if not each.startswith(".")]


def facts_of(folder: Path, name: str) -> RunFacts:
    """The facts of one run.

    Raises:
        UserError: If a file is not one of a run.
    """
    config = read_json(folder / CONFIG, dict)
    if not isinstance(config.get("task"), str):
        raise UserError(f"{folder / CONFIG} does not say its task")
    state = _optional(folder / STATE)
    measured = _optional(folder / METRICS)
    on = measured_on(measured)
    metrics = {key: float(x) for key, x in measured.items() if _is_number(x)}
    if on.seen is Seen.SELECTED:  # the first one, as if it were that of the best epoch
        metrics, on = {f"{BEFORE}{key}": x for key, x in [*metrics.items()][:1]}, MeasuredOn()
    if all(key.startswith(BEFORE) for key in metrics) and _is_number(state.get("best_value")):
        metrics = {str(state["monitor"]): float(state["best_value"])}
    seconds: Any = state.get("seconds")
    own = (config.get("settings", {}), config.get("model_options", {}), config.get("training", {}))
    return RunFacts(
        name=name,
        task=config["task"],
        data={str(key): str(x) for key, x in config.get("data", {}).items()},
        options={key: value for part in own for key, value in part.items()},
        metrics=metrics,
        measured_on=str(on),
        seconds=float(seconds) if _is_number(seconds) else None,
        size=_size(folder),
        fold=_fold(config.get(FILES)),
        epochs=how_far(state, config.get("training", {}).get("epochs")) if "epoch" in state else "",
    )


def _fold(files: Any) -> str:
    validation = files.get(VALIDATION) if isinstance(files, Mapping) else None
    is_fold = isinstance(validation, str) and Fold.parse(validation) is not None
    return str(validation) if is_fold else ""


def _optional(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = read_json(path, dict) if path.exists() else {}
    return content


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _size(folder: Path) -> int:
    files = (each for each in folder.rglob("*") if each.is_file() and not each.is_symlink())
    return sum(x.stat().st_size for x in files if CHECKPOINTS not in x.relative_to(folder).parts)


def differing(runs: Sequence[RunFacts]) -> list[str]:
    """The names of the options in which runs of the same task differ, in the order of the first.

    Example:
        >>> runs = [RunFacts(x, "t", {}, {"seed": 0, "units": n}) for x, n in (("a", 5), ("b", 7))]
        >>> differing(runs), differing(runs[:1])
        (['units'], [])
    """
    names = dict.fromkeys(name for run in runs for name in run.options)
    missing = object()
    return [
        name
        for name in names
        if any(
            run.options.get(name, missing) != other.options.get(name, missing)
            for run, other in zip(runs, runs[1:], strict=False)
            if run.task == other.task
        )
    ]


def ordered(runs: Sequence[RunFacts], metric: str) -> list[RunFacts]:
    """The runs by a metric, best first; those without it last.

    Raises:
        UserError: If no run has it.
    """
    known = dict.fromkeys(name for run in runs for name in run.metrics)
    if metric not in known:
        raise UserError(f"no run has the metric {metric!r}; {offered(metric, known)}")
    sign = 1 if is_lower_better(metric) else -1
    return sorted(runs, key=lambda x: (metric not in x.metrics, sign * x.metrics.get(metric, 0.0)))


@dataclass(frozen=True)
class Repeated:
    """A metric of runs that differ in their seed or their fold alone.

    Args:
        runs: The names of the runs.
        over: "seeds" or "folds"; "runs" if they differ in both.
        metric: Name of the metric.
        mean: Its mean.
        deviation: The standard deviation of the runs, with n - 1 in the denominator.
    """

    runs: Sequence[str]
    over: str
    metric: str
    mean: float
    deviation: float


def repeated(runs: Sequence[RunFacts]) -> list[Repeated]:
    """The mean and the deviation of each metric over runs that differ in seed or fold alone.

    Metrics of other data are not mixed.

    Formula: `s = sqrt(sum_i (x_i - m)^2 / (n - 1))`, with the mean m of n runs
    """
    groups: dict[str, list[RunFacts]] = {}
    for run in runs:
        groups.setdefault(run.repeated, []).append(run)
    statistics = []
    for group in groups.values():
        seeds, folds = {repr(run.options.get(SEED)) for run in group}, {run.fold for run in group}
        if len(seeds) < 2 and len(folds) < 2:
            continue
        over = "runs" if min(len(seeds), len(folds)) > 1 else "folds" if len(folds) > 1 else "seeds"
        names = [run.name for run in group]
        for metric in group[0].metrics:
            values = [run.metrics[metric] for run in group if metric in run.metrics]
            if len(values) == len(group):
                statistics.append(Repeated(names, over, metric, fmean(values), stdev(values)))
    return statistics
