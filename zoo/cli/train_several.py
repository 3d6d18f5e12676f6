"""Several runs of a command of `train`: with several seeds or folds, or in a search."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.cli.option_search import Reporter, search_options, show_trials
from zoo.cli.repeated_training import repeats, train_repeats
from zoo.cli.search_space import space_of
from zoo.cli.train_run import TrainCommand
from zoo.errors import UserError

if TYPE_CHECKING:
    from zoo.training.history import History

TRIALS = 20  # of a search, by default


def repeat(
    command: TrainCommand, seeds: int | None, folds: int | None, out: Path, json: bool
) -> bool:
    """Trains with several seeds or folds; whether there are such."""
    every = repeats(seeds, folds, command.given, command.validation)

    def train(folder: Path, options: dict[str, Any], held_out: list[str] | None) -> None:
        replace(command, given=options, validation=held_out).run(folder, None)

    if every:
        train_repeats(every, out, train, json)
    return bool(every)


def search_best(
    command: TrainCommand,
    space: Sequence[str],
    trials: int | None,
    own: Collection[str],
    out: Path,
    json: bool,
) -> None:
    """Trains with options that are searched for.

    Args:
        command: The arguments of the command.
        space: The options and their values, as they were given.
        trials: The number of trials; None for the default.
        own: The names of the options that are not those of the model.
        out: The folder of the run folders.
        json: Whether to print JSON.

    Raises:
        UserError: If there are no validation data, or an option is given twice.
    """
    if not command.validation:
        raise UserError("--search requires --validation, by which options are compared")

    def train(folder: Path, drawn: dict[str, Any], callback: Reporter, resume: bool) -> "History":
        given = {name: x for name, x in drawn.items() if name in own}
        model = {name: x for name, x in drawn.items() if name not in own}
        given, model = {**command.given, **given, "resume": resume}, {**command.model, **model}
        return replace(command, given=given, model=model).run(folder, None, [callback])

    seed, resume = int(command.given.get("seed", 0)), bool(command.given.get("resume"))
    named = space_of(space, {*command.given, *command.model})
    ended = search_options(named, trials or TRIALS, out, seed, resume, train)
    show_trials(ended, out, json)
