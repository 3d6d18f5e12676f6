"""Recipe files: the arguments of a training run in TOML, which `train` reads."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from zoo.errors import UserError
from zoo.nearest import offered
from zoo.option_names import spelled
from zoo.registry import TASKS
from zoo.untrusted import read_regular

SUFFIX = ".toml"
LARGEST = 1 << 20  # bytes of a recipe file
KEYS = ("task", "data", "validation", "out", "pretrained", "options", "model")
SINGLE = ("out", "pretrained")
Value = bool | int | float | str | list[Any]


@dataclass(frozen=True)
class RecipeFile:
    """The arguments of a training run.

    Args:
        task: Name of the task.
        data: The training data: a file, or several.
        validation: The validation data, or the fraction of the training data to hold out.
        out: The run folder.
        pretrained: The checkpoint to start from.
        options: The other options of `train`, by name.
        model: The options of the model, which `--set` sets.
    """

    task: str
    data: list[str] = field(default_factory=list)
    validation: list[str] = field(default_factory=list)
    out: str | None = None
    pretrained: str | None = None
    options: Mapping[str, Value] = field(default_factory=dict)
    model: Mapping[str, Any] = field(default_factory=dict)

    def arguments(self) -> list[tuple[str, str | None]]:
        """The options as they are typed, each with its value; None as that of a flag.

        Example:
            >>> RecipeFile("text-classifier", ["a.csv"], options={"epochs": 3}).arguments()
            [('--data', 'a.csv'), ('--epochs', '3')]
        """
        return list(self._arguments())

    def _arguments(self) -> Iterator[tuple[str, str | None]]:
        for name, values in (("data", self.data), ("validation", self.validation)):
            yield from ((spelled(name), value) for value in values)
        for name, path in (("out", self.out), ("pretrained", self.pretrained)):
            if path is not None:
                yield spelled(name), path
        for name, value in self.options.items():
            if isinstance(value, bool):
                yield spelled(name), None if value else "false"
            else:
                for each in value if isinstance(value, list) else [value]:
                    yield spelled(name), str(each)
        for name, value in self.model.items():
            yield "--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}"


def is_recipe_file(argument: str) -> bool:
    """Whether an argument names a recipe file."""
    return argument.endswith(SUFFIX)


def read_recipe_file(path: str | Path) -> RecipeFile:
    """Reads a recipe file.

    Raises:
        UserError: If it is no TOML, or has other keys or values than a recipe.
    """
    path = Path(path)
    try:
        content = tomllib.loads(read_regular(path, LARGEST).decode("utf-8-sig"))
    except RecursionError:
        raise UserError(f"{path} is not a recipe: it is nested too deeply") from None
    except ValueError as error:  # also of TOML and of UTF-8
        raise UserError(f"{path} is not a recipe: {error}") from None
    for key in content:
        if key not in KEYS:
            raise UserError(f"{path}: unknown key {key!r}; {offered(key, KEYS)}")
    task = content.get("task")
    if task not in TASKS:
        raise UserError(f"{path}: unknown task {task!r}; {offered(task, TASKS)}")
    for key in SINGLE:
        if not isinstance(content.get(key, ""), str):
            raise UserError(f"{path}: {key} must be a string")
    options, model = (_table(path, key, content.get(key, {})) for key in ("options", "model"))
    return RecipeFile(
        task,
        _listed(path, "data", content.get("data", [])),
        _listed(path, "validation", content.get("validation", [])),
        content.get("out"),
        content.get("pretrained"),
        options,
        model,
    )


def _listed(path: Path, key: str, value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(each, str | int | float) for each in values):
        raise UserError(f"{path}: {key} must be a string, or a list of strings")
    return [str(each) for each in values]


def _table(path: Path, key: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UserError(f"{path}: [{key}] must be a table")
    for name, each in value.items():
        values = each if isinstance(each, list) else [each]
        if not name.isidentifier() or not all(
            isinstance(one, bool | int | float | str) for one in values
        ):
            raise UserError(
                f"{path}: {key}.{name} must be a string, a number, true or false, or a list of them"
            )
    return value


def written(value: Any) -> str:
    """A value in TOML.

    Example:
        >>> written("a \\"b\\""), written(True), written(["x", 0.5])
        ('"a \\\\"b\\\\""', 'true', '["x", 0.5]')
    """
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
