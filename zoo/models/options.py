"""The options of the models, which are the arguments of their classes, and their validation."""

import inspect
from typing import Any

from zoo.errors import UserError
from zoo.registry import MODELS
from zoo.registry_rows import ModelRow, choose, resolve

LIMIT = 2**31  # of integers

# Options that a task sets from its data or its settings; users pass them only to `create_model`.
SET_BY_TASKS = (
    "vocabulary_size",
    "source_vocabulary_size",
    "target_vocabulary_size",
    "num_classes",
    "input_dim",
    "edge_dim",
    "image_size",
    "channels",
    "context_length",
    "horizon",
    "num_targets",
    "num_channels",
    "quantiles",
    "known_scaling",
    "num_static",
    "sample_rate",
    "pooling",
    "normalize",
    "name",
)


def check_options(name: str, preset: str | None, config: dict[str, Any], task: str) -> None:
    """Validates the model options of a task, before a tokenizer is trained or a model is created.

    Args:
        name: Name of the model.
        preset: Name of the preset, or None.
        config: Options of the model, except those that the task sets.
        task: Name of the task.

    Raises:
        UserError: If a name is unknown (the message lists the choices), or an option is unknown or
            of the wrong type.
    """
    row = model_row(name, task)
    preset_of(row, preset)
    options = model_options(row, task)
    check_known(name, config, {key: options[key] for key in options if key not in SET_BY_TASKS})


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
    found: ModelRow = choose(rows, name, "model", f" for {task}" if task else "")
    return found


def preset_of(row: ModelRow, preset: str | None) -> dict[str, Any]:
    """The options of a preset; empty if it is None.

    Raises:
        UserError: If there is no such preset; the message lists the choices.
    """
    found: dict[str, Any] = {}
    return found if preset is None else choose(row.presets, preset, "preset", f" of {row.name}")


def model_options(row: ModelRow, task: str | None = None) -> dict[str, inspect.Parameter]:
    """The options of a task's model, including its backbone; without a task, of the backbone."""
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
        UserError: If there is such an option. If it is unknown, the message lists the options.
    """
    for key, value in config.items():
        if key not in options:
            raise UserError(f"{name} has no option {key!r}; choose from {', '.join(options)}")
        check_type(key, value, options[key].annotation)


def check_type(key: str, value: Any, wanted: Any) -> None:
    """Refuses a value of the wrong type. Integers must be in [1, 2^31), floats in [0, 1).

    Args:
        key: Name of the option.
        value: The value.
        wanted: The type annotation of the option.

    Raises:
        UserError: If the value is not allowed.

    Example:
        >>> check_type("hidden_dim", 0, int)
        Traceback (most recent call last):
        zoo.errors.UserError: hidden_dim must be a positive integer, got 0
    """
    for plain in (int, float, str):
        if wanted == (plain | None) and value is not None:
            wanted = plain
    if wanted is int and (type(value) is not int or value < 1):
        raise UserError(f"{key} must be a positive integer, got {value!r}")
    if wanted is int and value >= LIMIT:
        raise UserError(f"{key} must be below {LIMIT}, got {value}")
    if wanted is float and (type(value) not in (int, float) or not 0 <= value < 1):
        raise UserError(f"{key} must be a number of at least 0 and below 1, got {value!r}")
    if wanted in (bool, str) and type(value) is not wanted:
        kind = {bool: "true or false", str: "a string"}[wanted]
        raise UserError(f"{key} must be {kind}, got {value!r}")
