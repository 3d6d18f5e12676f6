"""The same training with several seeds or folds, with the mean and deviation of its metrics."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from zoo.cli.console import show_json
from zoo.cli.run_lists import facts_of_all, show_repeated, show_runs
from zoo.data.held_out import Fold
from zoo.errors import UserError
from zoo.run_facts import runs_in

SEED = "seed"
MOST = 1000  # trainings of a command


class Repeat(NamedTuple):
    """One of several trainings.

    Args:
        name: The name of its folder, such as "seed-3".
        options: The options of the command, by name.
        validation: Validation data, or the part to hold out.
    """

    name: str
    options: Mapping[str, Any]
    validation: list[str] | None


Train = Callable[[Path, dict[str, Any], list[str] | None], None]  # a run, in a folder


def repeats(
    seeds: int | None, folds: int | None, given: Mapping[str, Any], validation: list[str] | None
) -> list[Repeat]:
    """The trainings for `--seeds` or `--folds`; none without these.

    Raises:
        UserError: If there is one only, or the options contradict each other.

    Example:
        >>> [each.name for each in repeats(2, None, {"seed": 5}, None)]
        ['seed-5', 'seed-6']
        >>> [each.validation for each in repeats(None, 2, {}, None)]
        [['fold 1 of 2'], ['fold 2 of 2']]
    """
    if folds is not None:
        if seeds is not None:
            raise UserError("--folds and --seeds exclude each other: give one of them")
        if validation:
            raise UserError("--folds and --validation exclude each other: a fold is held out")
        if not 2 <= folds <= MOST:
            raise UserError(f"--folds must be at least 2 and at most {MOST}, got {folds}")
        every = [Fold(index, folds) for index in range(1, folds + 1)]
        return [Repeat(f"fold-{each.index}", given, [str(each)]) for each in every]
    if seeds is None:
        return []
    if not 2 <= seeds <= MOST:
        raise UserError(
            f"--seeds must be at least 2 and at most {MOST}, got {seeds}: a run has one seed "
            "without it"
        )
    first = int(given.get(SEED, 0))
    return [
        Repeat(f"seed-{seed}", {**given, SEED: seed}, validation)
        for seed in range(first, first + seeds)
    ]


def train_repeats(every: Sequence[Repeat], out: Path, train: Train, json: bool) -> None:
    """Trains one run after the other, in folders of their own, and compares them.

    Args:
        every: The trainings.
        out: The folder of the run folders.
        train: Function that trains a run in a folder with options and validation data.
        json: Whether to print JSON.

    Raises:
        UserError: If the folder is a run.
    """
    if (out / "config.json").exists():
        raise UserError(f"{out} is a run: name another folder for several runs")
    for each in every:
        print(each.name.replace("-", " "), file=sys.stderr, flush=True)
        train(out / each.name, dict(each.options), each.validation)
    names = {each.name for each in every}
    runs = [each for each in runs_in(out) if each.name in names]
    if json:
        show_json(facts_of_all(runs))
        return
    print()
    show_runs(runs, None)
    show_repeated(runs)
