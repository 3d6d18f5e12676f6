"""The baselines of a task: simple models that are fitted and evaluated beside its model."""

from pathlib import Path
from typing import Generic, Protocol, TypeVar

from zoo.tasks.parts.fitted import Fitted
from zoo.tasks.parts.kinds import E, M, P, S

B = TypeVar("B", bound="Saved")


class Saved(Protocol):
    """What is learned from training data, and kept in the run folder."""

    def save(self, folder: Path) -> None:
        """Writes it to a run folder."""


class Baselines(Generic[S, P, M, E, B]):
    """Simple models, whose metrics are named `<baseline>_<metric of the model>`.

    They take little time and memory, whatever the size of the data: rows are sampled.
    """

    def fit(self, examples: E, fitted: Fitted[S, P, M]) -> B | None:
        """What is learned from the training data, or None if nothing is."""
        return None

    def scores(self, learned: B, examples: E, fitted: Fitted[S, P, M]) -> dict[str, float]:
        """Their metrics on examples, by name."""
        return {}

    def scores_without_training(self, examples: E) -> dict[str, float]:
        """The metrics of baselines that learn from the very examples to evaluate, by name."""
        return {}

    def load(self, folder: Path) -> B | None:
        """What `Saved.save` wrote, or None if a run folder has none."""
        return None
