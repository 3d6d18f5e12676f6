"""The options of the models, which are the arguments of their classes, and checks of them."""

import inspect
from typing import Any

from zoo.errors import UserError
from zoo.registry import MODELS
from zoo.rows import ModelRow, choose, resolve

# Options that a task takes from its data; users give them to models of their own only.
SET_BY_TASKS = (
    "vocabulary_size",
    "source_vocabulary_size",
    "target_vocabulary_size",
    "num_classes",
    "pooling",
    "normalize",
    "name",
)


def check_options(name: str, preset: str | None, config: dict[str, Any], task: str) -> None:
    """Checks what a task was given for its model, before anything is learned or created.

    Args:
        name: Name of the model.
        preset: Name of the preset, or None.
        config: Options of the model, except those that the task takes from its data.
        task: Name of the task.

    Raises:
        UserError: If a name is unknown, in which case the message lists the choices, or an option
            is unknown or of the wrong type.
    """
    row = model_row(name, task)
    preset_of(row, preset)
    options = model_options(row, task)
    check_known(name, config, {key: options[key] for key in options if key not in SET_BY_TASKS})


def has_option(name: str, option: str) -> bool:
    """Whether a model takes an option.

    Example:
        >>> has_option("gpt", "num_heads"), has_option("rnn_lm", "num_heads")
        (True, False)
    """
    return option in model_options(model_row(name))


def model_row(name: str, task: str | None = None) -> ModelRow:
    """The row of a model, which must be for the task if one is given.

    Raises:
        UserError: If there is no such model; the message lists the choices.
    """
    rows = {each: row for each, row in MODELS.items() if task is None or task in row.tasks}
    found: ModelRow = choose(rows, name, f"model for {task}" if task else "model")
    return found


def preset_of(row: ModelRow, preset: str | None) -> dict[str, Any]:
    """The options of a preset; none for None.

    Raises:
        UserError: If there is no such preset; the message lists the choices.
    """
    found: dict[str, Any] = {}
    return found if preset is None else choose(row.presets, preset, f"preset of {row.name}")


def model_options(row: ModelRow, task: str | None = None) -> dict[str, inspect.Parameter]:
    """The options of a task's model, of its backbone first; without a task, of the backbone."""
    own = parameters(resolve(row.path(task)))
    if row.backbone in (None, row.path(task)):
        return own
    return {**parameters(resolve(row.backbone)), **dict(list(own.items())[1:])}


def parameters(model: Any) -> dict[str, inspect.Parameter]:
    """The arguments of a class by name, in the order of its signature."""
    parameters = inspect.signature(model).parameters
    return {key: each for key, each in parameters.items() if each.kind != each.VAR_KEYWORD}


def check_known(name: str, config: dict[str, Any], options: dict[str, inspect.Parameter]) -> None:
    """Refuses options that are unknown or of the wrong type.

    Raises:
        UserError: If there is one; the message lists the options.
    """
    for key, value in config.items():
        if key not in options:
            raise UserError(f"{name} has no option {key!r}; choose from {', '.join(options)}")
        check_type(key, value, options[key].annotation)


def check_type(key: str, value: Any, wanted: Any) -> None:
    """Refuses a value of another type; integers must be positive, and floats in [0, 1).

    Args:
        key: Name of the option.
        value: Its value.
        wanted: Its annotation.

    Raises:
        UserError: If they do not agree.

    Example:
        >>> check_type("hidden_dim", 0, int)
        Traceback (most recent call last):
        zoo.errors.UserError: hidden_dim must be a positive integer, got 0
    """
    if wanted == (int | None) and value is not None:
        wanted = int
    if wanted is int and (type(value) is not int or value < 1):
        raise UserError(f"{key} must be a positive integer, got {value!r}")
    if wanted is float and (type(value) not in (int, float) or not 0 <= value < 1):
        raise UserError(f"{key} must be a number from 0 to below 1, got {value!r}")
    if wanted in (bool, str) and type(value) is not wanted:
        kind = {bool: "true or false", str: "a string"}[wanted]
        raise UserError(f"{key} must be {kind}, got {value!r}")
