"""Tasks whose answers an artifact computes, or a server, instead of a Keras model."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

import keras
import numpy as np

from zoo.errors import UserError, reason_of
from zoo.preprocessing.base import BATCH, Features, Preprocessor, TensorSpec
from zoo.registry import TASKS
from zoo.serving.called import CalledModel
from zoo.serving.inference import Run
from zoo.serving.seeded import SEED, seeds_of
from zoo.serving.signatures import SERVING_DEFAULT
from zoo.tasks.attending import ATTENTION, layers_of
from zoo.tasks.load import task_class
from zoo.text.form import TEXT
from zoo.text.tokenizer import FILE_NAME

if TYPE_CHECKING:
    from zoo.tasks.task import Task


class ArtifactModel(keras.Model):
    """The place of the Keras model in a task that has none: an artifact computes its answers.

    Args:
        attention_layers: The number of layers whose attention the artifact shows, by part.
    """

    stateful_batch_size: int | None = None  # signatures carry no state
    max_sequence_length: int | None = None  # what a signature takes is in its facts

    def __init__(self, attention_layers: Mapping[str, int] = MappingProxyType({})) -> None:
        super().__init__()
        self.attention_layers = dict(attention_layers)

    def call(self, *_: Any, **__: Any) -> NoReturn:
        """Raises a `UserError`: there is nothing to call."""
        raise UserError("an artifact has no Keras model: take the run that it was exported from")


class TextColumns(Preprocessor):
    """Passes texts on as they are, to an artifact that takes texts.

    Args:
        names: The names of the texts that the artifact takes.
    """

    feature_signature = SERVING_DEFAULT

    def __init__(self, names: Sequence[str]) -> None:
        self.inputs = {name: TensorSpec((BATCH,), "string") for name in names}
        self.features = self.inputs

    def __call__(self, **inputs: Any) -> Features:
        return inputs

    def read(self, inputs: Mapping[str, Sequence[Any]]) -> dict[str, np.ndarray]:
        return {name: np.array([*inputs[name]], object) for name in self.inputs}


def artifact_task(model: CalledModel) -> "Task":
    """A task that answers by an artifact: it predicts and evaluates as its run does.

    Args:
        model: The artifact, or what a server has.

    Raises:
        UserError: If it does not describe a task, or what lies beside it is not enough.
    """
    name = model.config.get("task")
    if str(name) not in TASKS:
        raise UserError(f"{model.name} does not say which task it is for: give the run instead")
    try:
        options = {**model.config["settings"], **model.config.get("model_options", {})}
        task: Task = task_class(str(name))(**options)
    except (KeyError, TypeError, ValueError) as error:
        message = f"{model.name} does not describe its {name} ({reason_of(error)})"
        raise UserError(f"{message}: export the run again") from None
    inputs = model.signatures[SERVING_DEFAULT]["inputs"]
    texts = [key for key, facts in inputs.items() if facts["dtype"] == "string"]
    preprocessor = _preprocessor(task, model, texts)
    task.set_fitted(preprocessor, ArtifactModel(_attention_layers(model, preprocessor)))
    task.columns = dict(model.config.get("table", {}).get("columns", {}))
    task.answering = runner_of(model)
    return task


def _preprocessor(task: "Task", model: CalledModel, texts: Sequence[str]) -> Preprocessor:
    """The preprocessor of an artifact; of one with the tokenizer in it, one that passes texts on.

    Raises:
        UserError: If the answers need a tokenizer that is not at hand.
    """
    needed = task.parts.answer.needs_tokenizer
    reads = needed or not model.takes_requests  # a server makes the ids of texts itself
    if not texts or (reads and FILE_NAME in model.beside):
        restored: Preprocessor = task.parts.input.restored(task.settings, model)
        if not texts or restored.feature_signature in model.signatures:
            return restored
    if needed:
        raise UserError(
            f"{model.name} takes texts only, and {task.name} is evaluated by tokens: give the run, "
            "or a SavedModel of it"
        )
    return TextColumns(texts)


def _attention_layers(model: CalledModel, preprocessor: Preprocessor) -> dict[str, int]:
    """The layers whose attention an artifact shows of what the preprocessor makes, by part."""
    signature = model.signatures.get(ATTENTION)
    if signature is None or not signature["inputs"].keys() <= preprocessor.features.keys():
        return {}
    return layers_of(signature["outputs"])


def runner_of(model: CalledModel) -> Run:
    """The function that runs an artifact in place of the inferences of a model."""

    def run(name: str, features: Mapping[str, Any]) -> dict[str, np.ndarray]:
        signature = name if name in model.signatures else SERVING_DEFAULT
        wanted = model.signatures[signature]["inputs"]
        if missing := wanted.keys() - features.keys() - {SEED}:
            raise UserError(
                f"{model.name} takes {', '.join(sorted(missing))}, which the signature {name} of "
                "the run does not give: take the run instead"
            )
        taken = {key: np.asarray(features[key]) for key in wanted if key != SEED}
        if SEED in wanted:
            taken[SEED] = seeds_of(len(next(iter(taken.values()))))
        outputs = model.run(signature, taken)
        return {key: _in_bytes(x) if key == TEXT else x for key, x in outputs.items()}

    return run


def _in_bytes(texts: np.ndarray) -> np.ndarray:
    """Strings as TensorFlow has them."""
    encoded = [x if isinstance(x, bytes) else str(x).encode() for x in texts.ravel()]
    array = np.empty(texts.size, object)
    array[:] = encoded
    return array.reshape(texts.shape)
