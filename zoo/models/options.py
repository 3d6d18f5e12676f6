"""The options of the models, which are the arguments of their classes, and their validation."""

import inspect
from typing import Any

from zoo.errors import UserError
from zoo.limits import check
from zoo.models.arguments import is_from_task
from zoo.models.option_groups import arguments, parameters
from zoo.nearest import offered
from zoo.registry import MODELS
from zoo.registry_rows import ModelRow, choose, resolve

LISTED = 350  # maximum number of characters of the options that a message lists


def check_options(name: str, preset: str | None, config: dict[str, Any], task: str) -> None:
    """Validates the model options of a task, before a tokenizer is trained or a model is created.

    Args:
        name: Name of the model.
        preset: Name of the preset, or None.
        config: Options of the model, except those that the task sets.
        task: Name of the task.

    Raises:
        UserError: If a name is unknown (the message lists the choices), an option is unknown or of
            the wrong type, or options do not go together.
    """
    row = model_row(name, task)
    settings = {**preset_of(row, preset), **config}
    options = {
        key: option
        for key, option in model_options(row, task).items()
        if key != "name" and not is_from_task(option.annotation)
    }
    check_known(name, config, options)
    arguments(resolve(row.backbone or row.path(task)), settings)


def has_option(name: str, option: str, task: str | None = None) -> bool:
    """Whether a model has an option; without a task, whether its backbone does.

    Example:
        >>> has_option("gpt", "num_heads"), has_option("rnn_lm", "num_heads")
        (True, False)
    """
    return option in model_options(model_row(name), task)


def model_row(name: str, task: str | None = None) -> ModelRow:
    """The row of a model, which must support the task if one is given.

    Raises:
        UserError: If there is no such model; the message lists the choices.
    """
    rows = {each: row for each, row in MODELS.items() if task is None or task in row.tasks}
    return choose(rows, name, "model", f" for {task}" if task else "")


def preset_of(row: ModelRow, preset: str | None) -> dict[str, Any]:
    """The options of a preset; empty if it is None.

    Raises:
        UserError: If there is no such preset; the message lists the choices.
    """
    return {} if preset is None else choose(row.presets, preset, "preset", f" of {row.name}")


def model_options(row: ModelRow, task: str | None = None) -> dict[str, inspect.Parameter]:
    """The options of a task's model, including its backbone; without a task, of the backbone."""
    own = parameters(resolve(row.path(task)))
    if row.backbone in (None, row.path(task)):
        return own
    return {**parameters(resolve(row.backbone)), **dict(list(own.items())[1:])}


def check_known(name: str, config: dict[str, Any], options: dict[str, inspect.Parameter]) -> None:
    """Refuses options that are unknown, of the wrong type, or out of the limits of their type.

    Raises:
        UserError: If there is such an option. If it is unknown, the message lists the options, or
            those that fit and the command that lists all.
    """
    for key, value in config.items():
        if key not in options:
            hint = offered(key, options, _listed(name, options))
            raise UserError(f"{name} has no option {key!r}; {hint}")
        check(key, value, options[key].annotation)


def _listed(name: str, options: dict[str, inspect.Parameter]) -> str:
    """The names of the options of a model, as many as a message can have."""
    every = ", ".join(options)
    if len(every) <= LISTED:
        return every
    shown = every[:LISTED].rpartition(", ")[0]
    return f"{shown}, …; `keras-attn models {name}` lists them all"
