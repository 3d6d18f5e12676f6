"""Tasks that are initialized with the tokenizer and the weights of a run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import keras

from keras_attn.low_rank import merged_updates
from keras_attn.position.learned import LearnedPositions
from zoo.errors import UserError
from zoo.json_file import read_json
from zoo.models.create import model_class, with_layers_of
from zoo.models.options import has_option
from zoo.models.task_model import TaskModel
from zoo.options import names_of, values_of
from zoo.tasks.denoising import Denoising
from zoo.tasks.folder import CONFIG
from zoo.tasks.learning import use_tokenizer
from zoo.tasks.load import load, task_class
from zoo.tasks.masked_lm import MaskedLM
from zoo.tasks.parts import Pretrained
from zoo.tasks.task import Task
from zoo.text.special_tokens import MASK

# Settings that depend on the data of a run; those of answers decide the size of a head.
OF_ANSWERS = ("labels", "value_names")
FROM_DATA = (*OF_ANSWERS, "value_means", "value_scales", "pairs", "embeddings")
HEAD = "logits"  # suffix of the names of classification heads
LIMITS = ("max_source_length", "max_target_length")


def is_run_folder(path: str | Path) -> bool:
    """Whether a path is a run folder."""
    try:
        config = read_json(Path(path) / CONFIG, dict)
    except (OSError, ValueError):
        return False
    return isinstance(config.get("task"), str)


def from_run_folder(folder: str | Path, task: str | None, settings: dict[str, Any]) -> Task:
    """Creates a task with the tokenizer of a run, and its weights in layers that both models have.

    Source: Dai & Le 2015, "Semi-supervised Sequence Learning", section 2.

    Args:
        folder: The run folder.
        task: Name of the task. Defaults to that of the run.
        settings: Settings of the task, which override those of the run.

    Raises:
        UserError: If the run's model does not support the task, the vocabulary lacks a mask token
            that the task needs, or the weights of a layer have a different shape.
    """
    before: Any = load(folder)
    name = task or before.name
    kind, tokenizer = task_class(name), before.tokenizer
    if kind in (MaskedLM, Denoising) and tokenizer.special_tokens.mask < 0:
        raise UserError(f"the vocabulary of {folder} has no {MASK}, which {name} needs")
    made = kind(**{**_settings(before, kind), **settings})
    new_head = not {*OF_ANSWERS}.isdisjoint(names_of(kind.Settings))

    def load_weights(model: keras.Model) -> None:
        heads = [layer.name for layer in model.layers if layer.name.endswith(HEAD)]
        with merged_updates(before.model):
            shared, new = copy_layers(before.model, model, heads if new_head else ())
        made.origin = [
            f"layers with the weights of {folder} ({before.name}): {', '.join(shared)}; "
            f"layers with random weights: {', '.join(new) or 'none'}"
        ]

    made.pretrained = Pretrained(tokenizer, load_weights)
    if not new_head:  # otherwise `adapt` builds the model, which depends on the answers
        made.examples = before.examples
        use_tokenizer(made, tokenizer)
        load_weights(made.model)
    return made


def _settings(before: Task, kind: type[Task]) -> dict[str, Any]:
    """The settings of a run that the new task also has."""
    own = names_of(kind.Settings)
    given = {**values_of(before.settings), **before.model_options}
    model = with_layers_of(before.settings.model, kind.name)
    of_model = model_class(model, kind.name)
    settings = {
        name: value
        for name, value in given.items()
        if (name in own or has_option(model, name, kind.name)) and name not in FROM_DATA
    }
    settings["model"] = model
    if "tokenizer" in own:
        settings["tokenizer"] = before.tokenizer.kind
    longest, limit = given.get(length_limit(before.name)), length_limit(kind.name)
    if longest is not None and (limit in own or has_option(model, limit)):
        settings[limit] = longest  # later positions were not trained
        missing = [name for name in LIMITS if name in own and name not in settings]
        if missing:
            sharing = of_model.positions_of(1, 1)  # 2 where both sides share the positions
            settings |= dict.fromkeys(missing, longest // sharing)
    return settings


def length_limit(task: str) -> str:
    """The setting of a task that limits the number of positions of its model.

    Example:
        >>> length_limit("masked-lm"), length_limit("text-to-text")
        ('max_length', 'max_sequence_length')
    """
    own = names_of(task_class(task).Settings)
    return "max_length" if "max_length" in own else "max_sequence_length"


def copy_layers(
    before: keras.Model, model: keras.Model, fresh: Sequence[str] = ()
) -> tuple[list[str], list[str]]:
    """Copies the weights of a model to the layers of another model that have the same names.

    Args:
        before: The model to copy from.
        model: The model to copy to; it may have fewer positions.
        fresh: Names of layers not to copy.

    Outputs: The names of the layers that were copied, and of those that were not.

    Raises:
        UserError: If the weights of a layer have a different shape.
    """
    there = _layers(before)
    shared: list[str] = []
    new: list[str] = []
    for layer in _layers(model).values():
        if layer.name not in there or layer.name in fresh:
            new.append(layer.name)
            continue
        values = there[layer.name].get_weights()
        if isinstance(layer, LearnedPositions):
            values = [values[0][: layer.max_length]]
        shapes = [[tuple(each.shape) for each in side] for side in (values, layer.weights)]
        if shapes[0] != shapes[1]:
            wrong = next(pair for pair in zip(*shapes, strict=True) if pair[0] != pair[1])
            raise UserError(f"{layer.name} has weights of shape {wrong[0]}, expected {wrong[1]}")
        layer.set_weights(values)
        shared.append(layer.name)
    return shared, new


def _layers(model: keras.Model) -> dict[str, keras.layers.Layer]:
    """The layers with weights by name, including backbone layers that no output uses."""
    parts = [model, *([model.backbone] if isinstance(model, TaskModel) else [])]
    return {layer.name: layer for part in parts for layer in part.layers if layer.weights}
