"""The arguments of a command of `train`, for one run or for several that differ."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.cli.option_search import Reporter, search_options, show_trials
from zoo.cli.repeated_training import repeats, train_repeats
from zoo.cli.search_space import space_of
from zoo.cli.train_run import train_run
from zoo.errors import UserError
from zoo.registry_rows import TaskRow

if TYPE_CHECKING:
    from zoo.training.callbacks import EpochCallback
    from zoo.training.history import History

TRIALS = 20  # of a search, by default


@dataclass(frozen=True)
class TrainCommand:
    """The arguments of a training, but for its folder.

    Args:
        row: The task.
        data: Training data; None to take those of the run.
        validation: Validation data, or the part to hold out.
        pretrained: A checkpoint to start from.
        model: Options of the model.
        given: The other options that were given.
    """

    row: TaskRow
    data: list[str] | None
    validation: list[str] | None
    pretrained: str | None
    model: Mapping[str, Any]
    given: Mapping[str, Any]

    def run(
        self, folder: Path, json: bool | None, callbacks: "Sequence[EpochCallback]" = ()
    ) -> "History":
        """Trains in a folder; see `train_run`."""
        options = dict(self.model), dict(self.given)
        data = self.data, folder, self.validation, self.pretrained
        return train_run(self.row, *data, *options, json, callbacks)

    def repeat(self, seeds: int | None, folds: int | None, out: Path, json: bool) -> bool:
        """Trains with several seeds or folds; whether there are such."""
        every = repeats(seeds, folds, self.given, self.validation)

        def train(folder: Path, options: dict[str, Any], held_out: list[str] | None) -> None:
            replace(self, given=options, validation=held_out).run(folder, None)

        if every:
            train_repeats(every, out, train, json)
        return bool(every)

    def search(
        self, space: Sequence[str], trials: int | None, own: Collection[str], out: Path, json: bool
    ) -> None:
        """Trains with options that are searched for.

        Args:
            space: The options and their values, as they were given.
            trials: The number of trials; None for the default.
            own: The names of the options that are not those of the model.
            out: The folder of the run folders.
            json: Whether to print JSON.

        Raises:
            UserError: If there are no validation data, or an option is given twice.
        """
        if not self.validation:
            raise UserError("--search requires --validation, by which options are compared")

        def train(
            folder: Path, drawn: dict[str, Any], callback: Reporter, resume: bool
        ) -> "History":
            given = {name: x for name, x in drawn.items() if name in own}
            model = {name: x for name, x in drawn.items() if name not in own}
            given, model = {**self.given, **given, "resume": resume}, {**self.model, **model}
            return replace(self, given=given, model=model).run(folder, None, [callback])

        seed, resume = int(self.given.get("seed", 0)), bool(self.given.get("resume"))
        named = space_of(space, {*self.given, *self.model})
        ended = search_options(named, trials or TRIALS, out, seed, resume, train)
        show_trials(ended, out, json)
