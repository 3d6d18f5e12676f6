"""Answers of a model that is still trained to some validation rows, epoch by epoch."""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from zoo.data.held_out import Fold
from zoo.data_statistics import discarding
from zoo.errors import UserError
from zoo.tasks.config import read_config, weights_file
from zoo.tasks.load import load
from zoo.tasks.parts import PreviewRow
from zoo.tasks.resuming import data_of
from zoo.tasks.views import preview
from zoo.training.low_rank import trained_part
from zoo.training.weights import load_weights

if TYPE_CHECKING:
    from zoo.tasks.task import Task

KEPT = 4  # epochs whose answers are kept: the first, and the latest
PAUSE = 9  # times as long as answers took, before the next: the training needs the processor, too
SEED = 0  # of the choice of rows


@dataclass
class Samples:
    """Answers to some rows of the validation data, or else of the training data.

    The model is that of the best checkpoint. It is loaded once, and then gets the weights of later
    epochs.

    Args:
        folder: The run folder.
        count: Number of rows.
    """

    folder: Path
    count: int
    by_epoch: dict[int, Sequence[PreviewRow]] = field(default_factory=dict)
    missing: str = ""  # why there are no answers, in a sentence
    of_training: bool = False  # whether the rows are of the training data
    _task: "Task | None" = None
    _examples: object = None
    _next: float = 0.0

    def refresh(self, best_epoch: int, now: bool = False) -> bool:
        """Answers with the weights of the best epoch, unless this is known or too soon.

        Args:
            best_epoch: The epoch whose weights the best checkpoint has; 0 if there is none.
            now: Whether to answer however little time has passed.

        Returns:
            Whether there are new answers.
        """
        if not (self.count and best_epoch) or best_epoch in self.by_epoch or self.missing:
            return False
        began = time.monotonic()
        if began < self._next and not now:
            return False
        with discarding():
            task = self._opened()
            if task is not None:
                self.by_epoch[best_epoch] = preview(task, self._examples, self.count)[: self.count]
        for epoch in [*self.by_epoch][1 : max(1, len(self.by_epoch) - KEPT + 1)]:
            del self.by_epoch[epoch]
        ended = time.monotonic()
        self._next = ended + PAUSE * (ended - began)
        return task is not None

    @property
    def are_judged(self) -> bool:
        """Whether an answer equals the reference or is wrong."""
        task = self._task
        return task is not None and task.parts.answer.is_judged(task.settings)

    def _opened(self) -> "Task | None":
        """The task with the weights of the best checkpoint; None if it cannot be read now."""
        with suppress(UserError, OSError):  # files may just be replaced
            if self._task is None:
                task = load(self.folder)
                self._read(task)
                self._task = task
                return task
            path = weights_file(self.folder, read_config(self.folder))
            load_weights(trained_part(self._task.model), path)
            return self._task
        return None

    def _read(self, task: "Task") -> None:
        """Reads the rows of the files of the run."""
        try:
            data, held_out = data_of(task.files, task.name, None, None)
            if held_out is None:
                every = task.read(data)
                examples = task.parts.format.own_validation(every)
                self.of_training = examples is None
                examples = every if examples is None else examples
            elif isinstance(held_out, float | Fold):
                examples = task.read(data).split(held_out, task.training["seed"])[1]
            else:
                examples = task.read(held_out)
            if len(examples) > 2 * self.count:  # files may be sorted by their labels
                with suppress(UserError):
                    examples = examples.split((self.count + 0.5) / len(examples), SEED)[1]
            preview(task, examples, 1)
            self._examples = examples
        except (UserError, OSError) as error:
            self.missing = str(error)
            raise
