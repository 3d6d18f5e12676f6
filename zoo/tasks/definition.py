"""What a task says of its own: the methods that a new task fills in."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import keras

from zoo.data.batching.batches import Batches
from zoo.errors import UserError
from zoo.preprocessing.base import Features, Preprocessor
from zoo.serving.inference import Inference, Run, Tensors
from zoo.tasks.documentation import document
from zoo.tasks.options.common import TaskSettings
from zoo.training.objective import Objective
from zoo.training.options import TrainingOptions


class TaskDefinition:
    """A reader, a preprocessor, a model, an objective and scores.

    A subclass of `Task` names its `Settings` and `Training` options and overrides these methods;
    `Task` does everything else with them.
    """

    name: ClassVar[str]
    Settings: ClassVar[type[TaskSettings]]
    Training: ClassVar[type[TrainingOptions]] = TrainingOptions
    purposes: ClassVar[dict[str, str]] = {}  # of signatures, by the name of their inference
    preview_explanation: ClassVar[str] = "Inputs with the predictions of the model."
    settings: Any
    _preprocessor: Any = None
    _model: Any = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        document(cls)

    @property
    def model(self) -> Any:
        """The Keras model."""
        return adapted(self._model)

    @property
    def preprocessor(self) -> Any:
        """Raw inputs to features."""
        return adapted(self._preprocessor)

    def check_settings(self) -> None:
        """Raises a UserError where settings contradict each other."""

    def read(self, data: Any) -> Any:
        """Data to examples, which have a `path`, raw `inputs` by name, and `statistics`."""
        raise NotImplementedError

    def read_to_evaluate(self, data: Any) -> Any:
        """Data to the examples that `score` takes."""
        return self.read(data)

    def learn(self, examples: Any) -> Preprocessor:
        """Learns the preprocessor, and whatever settings the examples decide, such as labels."""
        raise NotImplementedError

    def load_preprocessor(self, folder: Path) -> Preprocessor:
        """The preprocessor that `save_preprocessor` wrote."""
        raise NotImplementedError

    def save_preprocessor(self, folder: Path) -> None:
        """Writes what the preprocessor has learned to a run folder."""
        raise NotImplementedError

    def same_preprocessor(self, folder: Path) -> bool:
        """Whether a run folder has the same preprocessor, so that its run can be resumed."""
        raise NotImplementedError

    def model_sizes(self) -> dict[str, Any]:
        """Arguments of the model that depend on the data."""
        raise NotImplementedError

    def batches(self, examples: Any, training: Any, held_out: bool = False) -> Batches:
        """Batches to train on, or to validate on."""
        raise NotImplementedError

    def objective(self, training: Any) -> Objective:
        """Loss, metrics, and the value that training watches."""
        raise NotImplementedError

    def inferences(self, **options: Any) -> dict[str, Inference]:
        """What the model computes, by name of the signature.

        Args:
            **options: Options of generation, of tasks that generate.
        """
        raise NotImplementedError

    def postprocess(self, outputs: Tensors, features: Features, litert: bool = False) -> Tensors:
        """Outputs of the model to what users want, in TensorFlow operators.

        Args:
            outputs: Outputs of the inference on features, by name.
            features: The features.
            litert: Whether to use only operators that LiteRT has.
        """
        return outputs

    def result(self, row: Mapping[str, Any]) -> Any:
        """The prediction for one row, from what `postprocess` gives for it."""
        raise NotImplementedError

    @property
    def meanings(self) -> dict[str, str]:
        """What each output of an artifact is, in words, by name."""
        raise NotImplementedError

    def assets(self) -> dict[str, str]:
        """Files that belong beside an artifact, such as a vocabulary: their content by name."""
        return {}

    def score(self, examples: Any, run: Run) -> dict[str, float]:
        """Scores of the model, or of an artifact, on examples.

        Args:
            examples: What `read` gave.
            run: Runs an inference by name.
        """
        raise NotImplementedError

    def sample_inputs(self, examples: Any, count: int) -> dict[str, list[Any]]:
        """The raw inputs of the first rows, for verification and reports."""
        return {name: list(rows[:count]) for name, rows in examples.inputs.items()}

    def references(self, examples: Any) -> list[str] | None:
        """What should be predicted for each row, as text, if that is known."""
        return None

    def raw_inputs(self, data: Any) -> dict[str, Sequence[Any]]:
        """What `predict` takes to raw inputs by name."""
        raise NotImplementedError

    def validation(self, batches: Batches) -> Callable[[keras.Model], dict[str, float]] | None:
        """What validates after each epoch instead of `model.evaluate` on the batches, if any."""
        return None

    def adapt_model(self, examples: Any) -> None:
        """Lets the model count in the training data what it does not learn by gradients."""

    def fit_baselines(self, examples: Any) -> None:
        """Fits simple models to the training data, which the model is compared with."""

    def baseline_scores(self, examples: Any) -> dict[str, float]:
        """Scores of the simple models on examples, by name; none if there are no such models."""
        return {}

    def default_epochs(self, steps_per_epoch: int) -> int:
        """Number of epochs where none is given."""
        return 10

    def default_learning_rate(self) -> float:
        """Peak learning rate where none is given."""
        return 1e-3

    def default_warmup(self, steps: int) -> int:
        """Number of warm-up steps where none is given, of so many steps in total."""
        return max(1, steps // 10)

    def preprocessor_with(self, **options: Any) -> Any:
        """The preprocessor for these options of generation, where it depends on them."""
        return self.preprocessor

    def result_text(self, result: Any) -> str:
        """A prediction as text, for reports."""
        return str(result)


def adapted(part: Any) -> Any:
    """A part that `adapt` makes.

    Raises:
        UserError: If it is not there yet.
    """
    if part is None:
        raise UserError(
            "the task has no vocabulary yet: call adapt(data) first, or start from "
            "zoo.from_pretrained"
        )
    return part
