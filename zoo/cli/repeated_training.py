"""The same training with several seeds, with the mean and the deviation of its metrics."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from zoo.cli.console import show_json
from zoo.cli.run_lists import show_runs, show_seeds
from zoo.errors import UserError
from zoo.run_facts import of_seeds, runs_in

SEED = "seed"


def folder_of(out: Path, seed: int) -> Path:
    """The run folder of a seed.

    Example:
        >>> folder_of(Path("runs/reviews"), 3).as_posix()
        'runs/reviews/seed-3'
    """
    return out / f"seed-{seed}"


def train_seeds(
    count: int,
    out: Path,
    given: Mapping[str, Any],
    train: Callable[[Path, dict[str, Any]], None],
    json: bool,
) -> None:
    """Trains one run for each of several seeds, in folders of their own, and compares them.

    Args:
        count: The number of seeds, from the given one on.
        out: The folder of the run folders.
        given: The options of the command, by name.
        train: Function that trains a run in a folder with options.
        json: Whether to print JSON.

    Raises:
        UserError: If there is one seed only, or the folder is a run.
    """
    if count < 2:
        raise UserError(f"--seeds must be at least 2, got {count}: a run has one seed without it")
    if (out / "config.json").exists():
        raise UserError(f"{out} is a run: name another folder for the runs of several seeds")
    first = int(given.get(SEED, 0))
    for seed in range(first, first + count):
        print(f"seed {seed}", file=sys.stderr, flush=True)
        train(folder_of(out, seed), {**given, SEED: seed})
    names = {folder_of(out, seed).name for seed in range(first, first + count)}
    runs = [each for each in runs_in(out) if each.name in names]
    if json:
        seeds = [asdict(each) for each in of_seeds(runs)]
        show_json({"runs": [asdict(each) for each in runs], "seeds": seeds})
        return
    print()
    show_runs(runs, None)
    show_seeds(runs)
