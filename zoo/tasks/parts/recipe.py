"""The recipe of a task: how a model is trained."""

from typing import Any, Generic, Literal

from zoo.data.batching.batches import Batches
from zoo.models.spec_augment import Masks
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import F
from zoo.tasks.parts.kinds import E, H, T
from zoo.training.data import Evaluate
from zoo.training.objective import Objective

EPOCHS = 10  # by default, if these have enough steps, and not too many
MAX_EPOCHS, MAX_STEPS = 1000, 100_000  # by default, if one epoch has not more steps

MIN_PATIENCE, PATIENT = 3, 4  # early stopping after so many epochs, or a quarter of all


class Recipe(Generic[F, T, E, H]):
    """How a model is trained: its batches, the defaults of training, and baselines."""

    baselines: Baselines[F, E, Any] = Baselines()
    min_steps: int = 0  # minimum number of training steps by default
    stops_early: bool = False  # by default
    beta_2: float = 0.98  # of Adam

    def initialize(self, examples: E, fitted: F, head: H) -> None:
        """Computes weights that are not trained by gradients, such as means of the data."""

    def batches(self, examples: E, fitted: F, head: H, training: T, held_out: bool) -> Batches:
        """Batches for training, or for validation if `held_out`."""
        raise NotImplementedError

    def masks(self, fitted: F, training: T) -> Masks | None:
        """What the model masks of spectrograms in training; None if it reads none."""
        return None

    def weighted(self, examples: E, fitted: F, head: H, training: T) -> H:
        """The head as it is trained on examples, such as with weights of its labels."""
        return head

    def objective(self, head: H, training: T) -> Objective:
        """Loss, metrics, and the monitored value."""
        raise NotImplementedError

    def objective_of(self, fitted: F, head: H, training: T) -> Objective:
        """The objective, which may depend on weights of the model besides."""
        return self.objective(head, training)

    def keeps_start(self, training: T) -> bool:
        """Whether a run that is resumed needs the weights that it began with."""
        return False

    def default_epochs(self, steps_per_epoch: int) -> int:
        """Default number of epochs: 10, but few batches are read for `min_steps` in all.

        The same batch is read 1,000 times at most. Many batches are read for at most 100,000 steps,
        or once.
        """
        epochs = min(MAX_EPOCHS, max(EPOCHS, -(-self.min_steps // steps_per_epoch)))
        return max(1, min(epochs, MAX_STEPS // steps_per_epoch))

    def default_patience(self, epochs: int) -> int | None:
        """Default patience of early stopping, if there is validation data.

        Args:
            epochs: The number of epochs.
        """
        return max(MIN_PATIENCE, epochs // PATIENT) if self.stops_early else None

    def default_learning_rate(self, fitted: F, pretrained: bool) -> float:
        """Default peak learning rate.

        Args:
            fitted: The settings, the preprocessor and the model.
            pretrained: Whether the model starts from a checkpoint.
        """
        return 1e-3

    def learning_rate(self, fitted: F, pretrained: bool, training: T) -> float:
        """Default peak learning rate, which may depend on other options of training."""
        return self.default_learning_rate(fitted, pretrained)

    def default_freeze(self, fitted: F) -> int:
        """Default number of layer groups to freeze, for tasks whose `freeze` may be None."""
        return 0

    def default_warmup(self, steps: int) -> int:
        """Default number of warm-up steps, given the total number of steps."""
        return max(1, steps // 10)

    def default_xla(self) -> bool | Literal["auto"]:
        """Whether training steps are compiled with XLA, or "auto", if `fit` is not told."""
        return "auto"

    def validation(self, batches: Batches, fitted: F) -> Evaluate | None:
        """A function to validate with after each epoch, or None to use `model.evaluate`."""
        return None

    def rate_factors(self, fitted: F, training: T) -> dict[str, float]:
        """Factors of the learning rate by the path of a weight, besides those of layer groups."""
        return {}

    def start_from(self, baselines: Any, fitted: F) -> None:
        """Sets weights of a model that is not trained yet to those of baselines."""
