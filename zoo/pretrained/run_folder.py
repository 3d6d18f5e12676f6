"""From the run of one task to a start for another: its vocabulary and the weights both share."""

import inspect
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import keras

from keras_attn.position.learned import LearnedPositions
from zoo.errors import UserError
from zoo.models.create import model_class, with_layers_of
from zoo.models.options import has_option
from zoo.models.task_model import TaskModel
from zoo.tasks.denoising import Denoising
from zoo.tasks.folder import CONFIG
from zoo.tasks.load import load, task_class
from zoo.tasks.masked_lm import MaskedLM
from zoo.tasks.task import Start, Task
from zoo.text.special_tokens import MASK

LEARNED_ANEW = ("labels", "pairs")  # settings that data tell
LABELS = "logits"  # how the names of layers end that tell them
LIMITS = ("max_source_length", "max_target_length")


def is_run_folder(path: str | Path) -> bool:
    """Whether a task was saved or trained there."""
    try:
        config = json.loads((Path(path) / CONFIG).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and isinstance(config.get("task"), str)


def from_run_folder(folder: str | Path, task: str | None, settings: dict[str, Any]) -> Task:
    """A task with the vocabulary of a run, and the weights of the layers that its model shares.

    Source: Dai & Le 2015, "Semi-supervised Sequence Learning", section 2.

    Args:
        folder: The run folder.
        task: Name of the task; default that of the run.
        settings: Settings of the task that are not the run's.

    Raises:
        UserError: If the run's model is not for the task, its vocabulary lacks the mask that the
            task needs, or layers of one name have other shapes.
    """
    before = load(folder)
    name = task or before.name
    kind, tokenizer = task_class(name), before.tokenizer
    if kind in (MaskedLM, Denoising) and tokenizer.special_tokens.mask < 0:
        raise UserError(f"the vocabulary of {folder} has no {MASK}, which {name} needs")
    made = kind(**{**_settings(before, kind), **settings})
    tells_labels = "labels" in inspect.signature(kind).parameters

    def give_weights(model: keras.Model) -> None:
        anew = [layer.name for layer in model.layers if layer.name.endswith(LABELS)]
        shared, new = copy_layers(before.model, model, anew if tells_labels else ())
        made.origin = [
            f"begun with the weights of {folder} ({before.name}): {', '.join(shared)}; "
            f"new: {', '.join(new) or 'none'}"
        ]

    made.start = Start(tokenizer, give_weights)
    if not tells_labels:  # which `adapt` must know first
        made.examples = before.examples
        made._use(tokenizer)
        give_weights(made.model)
    return made


def _settings(before: Task, kind: type[Task]) -> dict[str, Any]:
    """The settings of a run that a task of another kind has as well."""
    own = inspect.signature(kind).parameters
    model = with_layers_of(before.settings["model"], kind.name)
    of_model = model_class(model, kind.name)
    found = {
        name: value
        for name, value in before.settings.items()
        if (name in own or has_option(model, name)) and name not in LEARNED_ANEW
    }
    found["model"] = model
    if "tokenizer" in own:
        found["tokenizer"] = before.tokenizer.kind
    longest, limit = before.settings.get(length_limit(before.name)), length_limit(kind.name)
    if longest is not None and (limit in own or has_option(model, limit)):
        found[limit] = longest  # no position beyond it was learned
        missing = [name for name in LIMITS if name in own and name not in found]
        if missing:
            sides = of_model.positions_of(1, 1)  # that share the positions
            found |= dict.fromkeys(missing, longest // sides)
    return found


def length_limit(task: str) -> str:
    """The setting of a task that limits its model to a number of positions.

    Example:
        >>> length_limit("masked-lm"), length_limit("text-to-text")
        ('max_length', 'max_sequence_length')
    """
    own = inspect.signature(task_class(task)).parameters
    return "max_length" if "max_length" in own else "max_sequence_length"


def copy_layers(
    before: keras.Model, model: keras.Model, fresh: Sequence[str] = ()
) -> tuple[list[str], list[str]]:
    """Gives a model the weights of another's layers that have the same names.

    Args:
        before: The other model.
        model: The model.
        fresh: Names of layers that keep their own weights.

    Outputs: The names of the layers that have got weights, and of those that have not.

    Raises:
        UserError: If weights have other shapes; positions may be fewer.
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
    """The layers with weights by name, those of the backbone included that no output needs."""
    parts = [model, *([model.backbone] if isinstance(model, TaskModel) else [])]
    return {layer.name: layer for part in parts for layer in part.layers if layer.weights}
