"""Data files and heads of multi-task runs, for all commands."""

from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zoo.data.held_out import Fold, part_of
from zoo.data.readers.files import paths_of
from zoo.errors import UserError

if TYPE_CHECKING:
    from zoo.tasks.task import Task

MULTI_TASK = "multi-task"

FILE, FILES = "FILE", "Repeatable; may be a glob pattern. For multi-task: NAME=FILE."
Head = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Name of the task to use (multi-task only)."),
]


Ensemble = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="RUN",
        help="Generate together with this run, by the mean of the probabilities. Repeatable.",
        show_default=False,
    ),
]


def files(task: str, given: list[str]) -> Any:
    """The data files; for multi-task, those of each task by name.

    Args:
        task: Name of the task.
        given: Paths or patterns; for multi-task, each as `NAME=FILE`.

    Raises:
        UserError: If a file does not exist, or a name is missing.

    Example:
        >>> folder = getfixture("tmp_path")
        >>> _ = (folder / "a.tsv").write_text("a fine film\tgood")
        >>> [*files("multi-task", [f"films={folder}/a.tsv"])]
        ['films']
    """
    if task != MULTI_TASK:
        return _existing(given)
    files_by_name: dict[str, list[str]] = {}
    for each in given:
        name, equals, path = each.partition("=")
        if not (name and equals and path):
            raise UserError(f"multi-task expects NAME=FILE, got {each!r}")
        files_by_name.setdefault(name, []).append(path)
    return {name: _existing(paths) for name, paths in files_by_name.items()}


def files_or_part(task: str, given: list[str] | None) -> Any:
    """The validation files, or the part of the training data to hold out; None if not given.

    Example:
        >>> files_or_part("causal-lm", ["0.1"]), files_or_part("causal-lm", ["fold 2 of 5"])
        (0.1, Fold(index=2, count=5))
    """
    if given and len(given) == 1:
        if (fold := Fold.parse(given[0])) is not None:
            return fold
        try:
            share = float(given[0])
        except ValueError:
            return files(task, given)
        part_of(share)
        return share
    return files(task, given) if given else None


def with_ensemble(task: "Task", runs: list[Path] | None, check_digests: bool) -> "Task":
    """The task, or the ensemble of it and other runs.

    Args:
        task: The task.
        runs: Folders of the other runs.
        check_digests: See `zoo.load`.
    """
    if not runs:
        return task
    import zoo  # imports TensorFlow

    return zoo.ensemble(task, *(zoo.load(run, check_digests) for run in runs))


def _existing(given: list[str]) -> Path | list[Path]:
    """The files, checked before TensorFlow is imported."""
    paths = paths_of([Path(each) for each in given])
    for path in paths:
        if not path.exists():
            raise UserError(f"{path} does not exist")
    return paths if len(paths) > 1 else paths[0]


def takes_texts(task: "Task") -> bool:
    """Whether a task predicts for texts, rather than for the paths of files."""
    return any(spec.dtype == "string" for spec in task.preprocessor.inputs.values())


def takes_pairs(task: "Task") -> bool:
    """Whether a task predicts for pairs of texts."""
    from zoo.preprocessing.text import SECOND  # which imports TensorFlow

    return SECOND in task.preprocessor.inputs


def one_task(zoo: ModuleType, run: Path, head: str | None, check_digests: bool) -> Any:
    """The task of a run folder; of a multi-task run, one of its tasks.

    Args:
        zoo: The package `zoo`, which commands import only when they need it.
        run: The run folder.
        head: Name of the task, for multi-task.
        check_digests: See `zoo.load`.

    Raises:
        UserError: If the name is unknown, missing for a multi-task run, or given for another task.
    """
    task = zoo.load(run, check_digests)
    if task.name == MULTI_TASK:
        if head is None:
            raise UserError(
                f"{run} has several tasks: choose one with --head ({', '.join(task.names)})"
            )
        return task.single_task(head)
    if head is not None:
        raise UserError(f"{task.name} has no option --head")
    return task
