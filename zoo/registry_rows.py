"""The rows of the registry, and lookup of rows and of the classes that they name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeVar

from zoo.errors import UserError
from zoo.nearest import offered
from zoo.presets import Presets


@dataclass(frozen=True)
class ModelRow:
    """A model of the zoo.

    Args:
        name: The name that `zoo.create_model` takes.
        tasks: Import path of the model's class for each task it can be trained on.
        paper: The papers that describe it.
        presets: Options by name of the preset.
        backbone: Import path of the network that every class in `tasks` takes as its first
            argument, or None if they have no backbone.
        layers_of: Name of another model with the same layers, whose weights can initialize this
            one, or None.
        reads_sentences: Whether it reads documents of sentences, instead of texts.
        settings: Defaults of the task's settings that differ for this model.
        training: Defaults of the training options that differ for this model.
        training_of: Those that differ further for a task, by its name.
    """

    name: str
    tasks: dict[str, str]
    paper: str
    presets: Presets = field(repr=False)
    backbone: str | None = None
    layers_of: str | None = None
    reads_sentences: bool = False
    settings: dict[str, Any] = field(default_factory=dict, repr=False)
    training: dict[str, Any] = field(default_factory=dict, repr=False)
    training_of: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False)

    def training_defaults(self, task: str) -> dict[str, Any]:
        """Defaults of the training options that differ for this model on a task."""
        return {**self.training, **self.training_of.get(task, {})}

    def path(self, task: str | None = None) -> str:
        """Import path of the model for a task, or else of the backbone or the only model."""
        paths = set(self.tasks.values()) if task is None else {self.tasks[task]}
        if len(paths) > 1 and self.backbone is not None:
            return self.backbone
        return paths.pop()


@dataclass(frozen=True)
class TaskRow:
    """A task of the zoo.

    Args:
        name: The name that run folders and the command line use.
        path: Import path of its class.
        options: Import path of the module with its `Settings` and `Training` options.
        summary: What it does, in one sentence.
        data: What its data files contain, in one sentence.
        examples: Arguments of example commands that train it.
        hub_name: What the Hugging Face Hub calls such a task, if it has a name for it.
    """

    name: str
    path: str
    options: str = ""
    summary: str = ""
    data: str = ""
    examples: tuple[str, ...] = ()
    hub_name: str = ""


@dataclass(frozen=True)
class MetricRow:
    """A metric of the zoo.

    Args:
        name: The name that `evaluate --metrics` takes.
        path: Import path of the function from rows to measures; see `zoo.metrics.measure`.
        kinds: The kinds of answers that it measures.
        default: Those of which it is measured if no metric is named.
        also: Another name by which it is known, or nothing.
        needs: What it is undefined without, in words, if there is anything.
    """

    name: str
    path: str
    kinds: tuple[str, ...]
    default: tuple[str, ...] = ()
    also: str = ""
    needs: str = ""


Row = TypeVar("Row", ModelRow, TaskRow)


def by_name(*rows: Row) -> dict[str, Row]:
    """Rows by their names.

    Raises:
        ValueError: If two rows have the same name.

    Example:
        >>> by_name(TaskRow("chess", "a:B"), TaskRow("chess", "c:D"))
        Traceback (most recent call last):
        ValueError: the name 'chess' is registered twice; names so far: chess.
    """
    named: dict[str, Row] = {}
    for row in rows:
        if row.name in named:
            raise ValueError(
                f"the name {row.name!r} is registered twice; names so far: {', '.join(named)}."
            )
        named[row.name] = row
    return named


def choose(rows: Mapping[str, Any], name: str | None, what: str, where: str = "") -> Any:
    """The row with a name.

    Args:
        rows: Rows by name.
        name: The name.
        what: What the rows are, for the error message.
        where: What they belong to, such as " for text-classifier", for the error message.

    Raises:
        UserError: If there is no such row; the message lists the names.

    Example:
        >>> choose({"chess": 1, "go": 2}, "poker", "game")
        Traceback (most recent call last):
        zoo.errors.UserError: unknown game 'poker'; choose from chess, go
    """
    if name is None or name not in rows:
        raise UserError(f"unknown {what} {name!r}{where}; {offered(name, rows)}")
    return rows[name]


def resolve(path: str) -> Any:
    """Imports the object that an import path names.

    Args:
        path: `"module:name"`.

    Example:
        >>> resolve("collections:OrderedDict").__name__
        'OrderedDict'
    """
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
