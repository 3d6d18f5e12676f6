"""The baselines of a task: simple models that are fitted and evaluated beside its model."""

from collections.abc import Callable
from pathlib import Path
from typing import Generic, Protocol, TypeVar

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

    def scores(self, learned: B, examples: E, fitted: F) -> dict[str, float]:
        """Their metrics on examples, by name."""
        return {}

    def scores_without_training(self, examples: E) -> dict[str, float]:
        """The metrics of baselines that learn from the very examples to evaluate, by name."""
        return {}

    def load(self, folder: Path) -> B | None:
        """What `Saved.save` wrote, or None if a run folder has none."""
        return None if self.loader is None else self.loader(folder)
