"""The recipe of a task: how a model is trained."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, Literal

import keras

from zoo.data.batching.batches import Batches
from zoo.tasks.parts.fitted import Fitted
from zoo.tasks.parts.kinds import E, H, M, P, S, T
from zoo.training.objective import Objective

EPOCHS = 10  # by default, if these have enough steps


class Recipe(Generic[S, T, P, M, E, H]):
    """How a model is trained: its batches, the defaults of training, and baselines."""

    min_steps: int = 0  # minimum number of training steps by default
    beta_2: float = 0.98  # of Adam

    def initialize(self, examples: E, fitted: Fitted[S, P, M], head: H) -> None:
        """Computes weights that are not trained by gradients, such as means of the data."""

    def batches(
        self, examples: E, fitted: Fitted[S, P, M], head: H, training: T, held_out: bool
    ) -> Batches:
        """Batches for training, or for validation if `held_out`."""
        raise NotImplementedError

    def set_augmentation(self, fitted: Fitted[S, P, M], training: T) -> None:
        """Sets how the layers of the model change its inputs in training."""

    def objective(self, head: H, training: T) -> Objective:
        """Loss, metrics, and the monitored value."""
        raise NotImplementedError

    def default_epochs(self, steps_per_epoch: int) -> int:
        """Default number of epochs: few batches are read more often, for `min_steps` in all."""
        return max(EPOCHS, -(-self.min_steps // steps_per_epoch))

    def default_patience(self) -> int | None:
        """Default patience of early stopping, if there is validation data."""
        return None

    def default_learning_rate(self, fitted: Fitted[S, P, M], pretrained: bool) -> float:
        """Default peak learning rate.

        Args:
            fitted: The settings, the preprocessor and the model.
            pretrained: Whether the model starts from a checkpoint.
        """
        return 1e-3

    def default_freeze(self, settings: S) -> int:
        """Default number of layer groups to freeze, for tasks whose `freeze` may be None."""
        return 0

    def default_warmup(self, steps: int) -> int:
        """Default number of warm-up steps, given the total number of steps."""
        return max(1, steps // 10)

    def default_xla(self) -> bool | Literal["auto"]:
        """Whether training steps are compiled with XLA, or "auto", if `fit` is not told."""
        return "auto"

    def validation(
        self, batches: Batches, fitted: Fitted[S, P, M]
    ) -> Callable[[keras.Model], dict[str, float]] | None:
        """A function to validate with after each epoch, or None to use `model.evaluate`."""
        return None

    def rate_factors(self, fitted: Fitted[S, P, M], training: T) -> dict[str, float]:
        """Factors of the learning rate by the path of a weight, besides those of layer groups."""
        return {}

    def fit_baselines(self, examples: E, fitted: Fitted[S, P, M]) -> Any:
        """Baselines that are fitted to the training data, or None if there are none."""
        return None

    def start_from(self, baselines: Any, fitted: Fitted[S, P, M]) -> None:
        """Sets weights of a model that is not trained yet to those of baselines."""

    def baseline_scores(
        self, baselines: Any, examples: E, fitted: Fitted[S, P, M]
    ) -> dict[str, float]:
        """The metrics of baselines on examples, by name."""
        return {}

    def evaluation_baselines(self, examples: E) -> dict[str, float]:
        """The metrics of baselines that are fitted to the very examples to evaluate, by name."""
        return {}

    def load_baselines(self, folder: Path) -> Any:
        """The baselines of a run folder, or None if it has none."""
        return None
