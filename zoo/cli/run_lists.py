"""The command `runs`."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from zoo import quantities
from zoo.cli.console import Json, show_json, show_table
from zoo.run_facts import RunFacts, differing, ordered, repeated, runs_in
from zoo.tasks.provenance import published

SHOWN = 3  # maximum number of metrics of a table
EPOCHS = "epochs"
DIGITS = 6  # of a digest, where data of the same name differ


def runs(
    folder: Annotated[Path, Argument(metavar="FOLDER", help="A folder with run folders in it.")],
    sort: Annotated[
        str | None,
        Option(metavar="METRIC", help="Sort by this metric, best first. Default: by name."),
    ] = None,
    json: Json = False,
) -> None:
    """List the runs in a folder: data, the options that differ, metrics, time and size.

    The metrics are those that `evaluate` wrote last, or else the best one of the validation data,
    whose name begins with val_. Of runs that differ in their seed or their fold alone, the mean and
    the standard deviation follow. No model is loaded.

    [bold]Examples[/bold]

    \b
      keras-attn runs runs
      keras-attn runs runs/reviews --sort accuracy
      keras-attn runs runs --json
    """
    runs = runs_in(folder)
    if sort is not None:
        runs = ordered(runs, sort)
    if json:
        show_json(facts_of_all(runs))
        return
    show_runs(runs, sort)
    show_repeated(runs)


def facts_of_all(runs: Sequence[RunFacts]) -> dict[str, object]:
    """The facts of runs, and of those that are repeated, as JSON types."""
    statistics = [asdict(each) for each in repeated(runs)]
    return {"runs": [asdict(each) for each in runs], "repeated": statistics}


def show_repeated(runs: Sequence[RunFacts]) -> None:
    """Prints the mean and the deviation of runs that differ in their seed or fold alone."""
    for each in repeated(runs):
        spread = f"{each.metric} {each.mean:.4g} ± {each.deviation:.2g}"
        print(f"{spread}, mean and standard deviation of {len(each.runs)} {each.over}: "
              f"{', '.join(each.runs)}")  # fmt: skip


def show_runs(runs: Sequence[RunFacts], sort: str | None) -> None:
    """Prints a row for each run; what all of them share is not shown."""
    options = [name for name in differing(runs) if name != EPOCHS]
    metrics = _metrics_shown(runs, sort)
    columns: dict[str, list[object]] = {
        "run": [each.name for each in runs],
        "task": [each.task for each in runs],
        "data": _data(runs),
        "validated on": [each.fold for each in runs],
        **{name: [_written(each.options.get(name, "")) for each in runs] for name in options},
        EPOCHS: [each.epochs or _written(each.options.get(EPOCHS, "")) for each in runs],
        **{name: [each.metrics.get(name, "") for each in runs] for name in metrics},
        "measured on": [each.measured_on for each in runs],
        "time": [
            "" if each.seconds is None else quantities.duration(each.seconds) for each in runs
        ],
        "size": [quantities.size(each.size) for each in runs],
    }
    shared = ("task", "data", "measured on", "validated on")
    shown = {
        name: cells
        for name, cells in columns.items()
        if name not in (*shared, EPOCHS)
        or len(set(cells)) > 1
        or (name == "task" and len(runs) == 1)
    }
    show_table([*shown], zip(*shown.values(), strict=True))
    for name in shared:
        if name not in shown and columns[name][0]:
            print(f"{name}: {columns[name][0]}")


def _metrics_shown(runs: Sequence[RunFacts], sort: str | None) -> list[str]:
    """The first metrics, and the first one of each run that has none of them.

    Example:
        >>> both = [{"mae": 1, "crps": 2, "mase": 3, "coverage": 4}, {"val_loss": 5}]
        >>> _metrics_shown([RunFacts("", "", {}, {}, each) for each in both], None)
        ['mae', 'crps', 'mase', 'val_loss']
    """
    every = dict.fromkeys([*([sort] if sort else []), *(x for y in runs for x in y.metrics)])
    shown = [*every][:SHOWN]
    for each in runs:
        if each.metrics and not each.metrics.keys() & {*shown}:
            shown.append(next(iter(each.metrics)))
    return shown


def _data(runs: Sequence[RunFacts]) -> list[object]:
    """The names of the data; with a part of the digest where data of one name differ.

    Many files are their folder and their number.
    """
    named = [published(each.data) for each in runs]
    digests: dict[str, set[str]] = {}
    for data in named:
        for name, digest in data.items():
            digests.setdefault(name, set()).add(digest)
    return [
        ", ".join(
            f"{name} ({digest[:DIGITS]})" if len(digests[name]) > 1 else name
            for name, digest in data.items()
        )
        for data in named
    ]


def _time(seconds: float | None) -> str:
    return "" if seconds is None else quantities.duration(seconds)


def _written(value: object) -> str:
    return "" if value is None else str(value)
