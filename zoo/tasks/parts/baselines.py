"""The baselines of a task: simple models that are fitted and evaluated beside its model."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from zoo.tasks.measuring import Judged, JudgedTasks, default_values
from zoo.tasks.parts.fitted import F
from zoo.tasks.parts.kinds import E

B = TypeVar("B", bound="Saved")


class Saved(Protocol):
    """What is learned from training data, and kept in the run folder."""

    def save(self, folder: Path) -> None:
        """Writes it to a run folder."""


class Baselines(Generic[F, E, B]):
    """Simple models, whose metrics are named `<baseline>_<metric of the model>`.

    They take little time and memory, whatever the size of the data: rows are sampled.
    """

    loader: Callable[[Path], B | None] | None = None  # of what a run folder has

    def fit(self, examples: E, fitted: F) -> B | None:
        """What is learned from the training data, or None if nothing is."""
        return None

    def judged(self, learned: B, examples: E, fitted: F) -> Mapping[str, Judged]:
        """The answers of each baseline beside the correct ones, by its name."""
        return {}

    def judged_without_training(self, examples: E) -> Mapping[str, Judged]:
        """The same of baselines that learn from the very examples to evaluate."""
        return {}

    def judged_tasks(self, learned: B, examples: E, fitted: F) -> Mapping[str, JudgedTasks]:
        """What `judged` returns for each of several tasks, by name; of a single task by ""."""
        return {name: {"": own} for name, own in self.judged(learned, examples, fitted).items()}

    def scores(self, learned: B, examples: E, fitted: F) -> dict[str, float]:
        """Their metrics on examples, by name."""
        return scores_of(self.judged(learned, examples, fitted))

    def scores_without_training(self, examples: E) -> dict[str, float]:
        """The metrics of baselines that learn from the very examples to evaluate, by name."""
        return scores_of(self.judged_without_training(examples))

    def load(self, folder: Path) -> B | None:
        """What `Saved.save` wrote, or None if a run folder has none."""
        return None if self.loader is None else self.loader(folder)


def scores_of(judged: Mapping[str, Judged]) -> dict[str, float]:
    """The metrics of baselines that are measured by default, after the name of each."""
    return {
        f"{name}_{metric}": value
        for name, own in judged.items()
        for metric, value in default_values(own).items()
    }
