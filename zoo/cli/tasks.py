"""Data files and heads of multi-task runs, for all commands."""

from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer

from zoo.errors import UserError

MULTI_TASK = "multi-task"

FILE, FILES = "FILE", "For multi-task: NAME=FILE, repeatable."
Head = Annotated[str | None, typer.Option(metavar="NAME", help="multi-task: the task to use.")]


def files(task: str, given: list[str]) -> Any:
    """The path of a data file; for multi-task, the paths by name.

    Args:
        task: Name of the task.
        given: One path; for multi-task, `NAME=FILE` for each data set.

    Raises:
        UserError: If a file does not exist, another task has several, or a name is missing or
            repeated.

    Example:
        >>> folder = getfixture("tmp_path")
        >>> _ = (folder / "a.tsv").write_text("a fine film\tgood")
        >>> [*files("multi-task", [f"films={folder}/a.tsv"])]
        ['films']
    """
    if task != MULTI_TASK:
        if len(given) > 1:
            raise UserError(f"{task} takes one file, got {len(given)}: {', '.join(given)}")
        return _existing(given[0])
    found: dict[str, Path] = {}
    for each in given:
        name, equals, path = each.partition("=")
        if not (name and equals and path):
            raise UserError(f"multi-task expects NAME=FILE, got {each!r}")
        if name in found:
            raise UserError(f"multi-task got two files for {name!r}")
        found[name] = _existing(path)
    return found


def _existing(path: str) -> Path:
    """A path, checked before TensorFlow is imported."""
    if not Path(path).exists():
        raise UserError(f"{path} does not exist")
    return Path(path)


def one_task(zoo: ModuleType, run: Path, head: str | None) -> Any:
    """The task of a run folder; of a multi-task run, one of its classifiers.

    Args:
        zoo: The package, which commands import late.
        run: The run folder.
        head: Name of the classifier, for multi-task.

    Raises:
        UserError: If the name is unknown, missing for a multi-task run, or given for another.
    """
    task = zoo.load(run)
    if task.name == MULTI_TASK:
        if head is None:
            raise UserError(
                f"{run} has several tasks: choose one with --head ({', '.join(task.names)})"
            )
        return task.classifier(head)
    if head is not None:
        raise UserError(f"{task.name} has no option --head")
    return task
