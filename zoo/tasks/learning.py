"""The adaptation of a task to training data: its preprocessor and a model that is not trained."""

from typing import TYPE_CHECKING, Any, TypeVar

import keras

from zoo.errors import UserError
from zoo.models.create import create_model
from zoo.options import values_of
from zoo.preprocessing.base import Preprocessor
from zoo.preprocessing.text import Detokenizer
from zoo.tasks.parts import Learned, Start
from zoo.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from zoo.tasks.task import Task

PROBES = 8  # number of training examples used for verification

V = TypeVar("V")


def read(task: "Task", data: Any) -> Any:
    """Reads data to learn from, as if nothing had been learned before.

    Raises:
        UserError: If they are prepared data, and the task reads its data into memory.
    """
    task.parts.format.check_readable(data, task.name)
    return task.parts.format.read(data, task.settings, None)


def read_again(task: "Task", data: Any) -> Any:
    """Reads data to train on; those that the task was just adapted to are at hand."""
    last, task.last_read = task.last_read, None
    if last is not None and last.is_still(data, values_of(task.settings)):
        return last.examples
    return task.read(data)


def adapt(task: "Task", examples: Any) -> None:
    """Fits the preprocessor to examples, and builds the model, with the weights to start from."""
    task.last_read = None
    learned = learn(task, examples)
    build(task, learned.preprocessor)
    if task.pretrained is not None:
        task.pretrained.load(task.model)
        return
    if learned.initialize is not None:
        learned.initialize(task.model)
    task.parts.recipe.initialize(examples, task.fitted, task.head)


def learn(task: "Task", examples: Any) -> Learned[Any, Any]:
    """Sets what depends on examples, such as the labels; and fits a preprocessor."""
    parts = task.parts
    task.examples = parts.input.sample(examples, PROBES)
    task.columns = dict(examples.column_names)
    settings = parts.answer.learn(examples, parts.format.settings(examples, task.settings))
    learned = parts.input.learn(examples, settings, Start(task.model_options, task.pretrained))
    task.settings = learned.settings
    task.model_options = {**task.model_options, **learned.model_options}
    task.origin = [*task.origin, *learned.notes]
    return learned


def use_tokenizer(task: "Task", tokenizer: Tokenizer) -> None:
    """Builds the model of a task for an existing tokenizer."""
    build(task, task.parts.input.with_tokenizer(tokenizer, task.settings))


def set_tokenizer(task: "Task", tokenizer: Tokenizer) -> None:
    """Sets the preprocessor of a task for an existing tokenizer, without a model."""
    task.set_fitted(task.parts.input.with_tokenizer(tokenizer, task.settings))


def build(task: "Task", preprocessor: Preprocessor) -> None:
    """Sets the preprocessor of a task, and builds its model with random weights."""
    settings, parts = task.settings, task.parts
    keras.utils.set_random_seed(settings.seed)
    sizes = {**parts.input.sizes(settings, preprocessor), **parts.answer.sizes(settings)}
    options = {"dtype": settings.dtype, **sizes, **task.model_options}
    model = create_model(settings.model, settings.preset, task.name, **options)
    task.set_fitted(preprocessor, model)
    parts.input.check_model(task.fitted)


def adapted(part: V | None) -> V:
    """A part of a task that `adapt` creates.

    Raises:
        UserError: If `adapt` has not been called yet.
    """
    if part is None:
        raise UserError(
            "the task has learned from no data yet: call adapt(data) first, or start from "
            "zoo.from_pretrained"
        )
    return part


def tokenizer_of(preprocessor: Preprocessor, task: str) -> Tokenizer:
    """The tokenizer of a preprocessor.

    Raises:
        UserError: If the task reads no texts.
    """
    if not isinstance(preprocessor, Detokenizer):
        raise UserError(f"{task} reads no texts: it has no tokenizer")
    return preprocessor.tokenizer
