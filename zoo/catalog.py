"""Models by name: which there are, and how one is made of a preset and options."""

import inspect
from dataclasses import dataclass
from typing import Any

import keras

from zoo.errors import UserError
from zoo.families import CATALOG

# What a task sets itself: users may give it to a model of their own only.
OF_TASKS = (
    "vocabulary_size",
    "source_vocabulary_size",
    "target_vocabulary_size",
    "num_classes",
    "per_token",
    "name",
)


@dataclass(frozen=True)
class Listed:
    """A row of `list_models`."""

    name: str
    presets: tuple[str, ...]
    tasks: tuple[str, ...]
    paper: str


def list_models() -> list[Listed]:
    """The models of the zoo.

    Example:
        >>> [model.name for model in list_models() if "text-to-text" in model.tasks]
        ['rnn_seq2seq', 'attention_seq2seq', 'conv_s2s', 'transformer', 'bart', 'prefix_gpt']
    """
    return [
        Listed(name, tuple(entry.presets), entry.tasks, entry.paper)
        for name, entry in CATALOG.items()
    ]


def create_model(name: str, preset: str | None = None, **config: Any) -> keras.Model:
    """A new model of the zoo, its weights drawn at random.

    Args:
        name: A name that `list_models` gives.
        preset: One of its presets; without one, the builder's defaults.
        **config: Arguments of the builder; they win over the preset.

    Raises:
        UserError: If a name is unknown or an argument is missing; the message lists the choices.

    Example:
        >>> model = create_model(
        ...     "transformer", "tiny", source_vocabulary_size=23, target_vocabulary_size=23
        ... )
        >>> model.name
        'transformer'
    """
    builder, settings = settle(name, preset, config)
    for key, parameter in _options(builder).items():
        if parameter.default is parameter.empty and key not in settings:
            raise UserError(f"{name} needs the option {key!r}")
    return builder(**settings)


def settle(
    name: str, preset: str | None, config: dict[str, Any], task: str | None = None
) -> tuple[type[keras.Model], dict[str, Any]]:
    """The builder of a model and the arguments for it, none of them unknown.

    Args:
        name: A name that `list_models` gives; with a task, of a model for that task.
        preset: One of its presets, or None.
        config: Arguments of the builder; they win over the preset.
        task: Name of a task, which sets the sizes that its data call for itself.

    Raises:
        UserError: If a name is unknown, where the message lists the choices, or a value wrong.
    """
    models = {each: e for each, e in CATALOG.items() if task is None or task in e.tasks}
    entry = _choose(models, name, f"model for {task}" if task else "model")
    settings = _choose(entry.presets, preset, f"preset of {name}") if preset is not None else {}
    options = _options(entry.builder)
    if task is not None:
        options = {key: each for key, each in options.items() if key not in OF_TASKS}
    for key, value in config.items():
        if key not in options:
            raise UserError(f"{name} has no option {key!r}; choose from {', '.join(options)}")
        check_type(key, value, options[key].annotation)
    return entry.builder, {**settings, **config}


def with_the_layers_of(name: str, task: str) -> str:
    """A model for a task that has the layers of another; that other one if it is for the task.

    Example:
        >>> with_the_layers_of("gpt", "text-to-text"), with_the_layers_of("gpt", "causal-lm")
        ('prefix_gpt', 'gpt')
    """
    layers = CATALOG[name].layers_of or name
    like = [key for key, e in CATALOG.items() if layers in (key, e.layers_of) and task in e.tasks]
    return name if name in like or not like else like[0]


def has_option(name: str, option: str) -> bool:
    """Whether a model takes an option.

    Example:
        >>> has_option("gpt", "num_heads"), has_option("rnn_lm", "num_heads")
        (True, False)
    """
    return option in _options(_choose(CATALOG, name, "model").builder)


def _options(builder: type[keras.Model]) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(builder).parameters
    return {key: p for key, p in parameters.items() if p.kind != p.VAR_KEYWORD}


def check_type(key: str, value: Any, wanted: Any) -> None:
    """Refuses a value of another type; integers are sizes here, and floats are shares.

    Args:
        key: Name of the option.
        value: What was given for it.
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
        kind = {bool: "true or false", str: "text"}[wanted]
        raise UserError(f"{key} must be {kind}, got {value!r}")


def _choose(table: dict[str, Any], name: str | None, what: str) -> Any:
    if name not in table:
        raise UserError(f"unknown {what} {name!r}; choose from {', '.join(table)}")
    return table[name]
