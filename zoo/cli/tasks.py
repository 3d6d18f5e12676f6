"""What commands have in common about runs of several tasks: their files, and one task of them."""

from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer

from zoo.errors import UserError

MULTI_TASK = "multi-task"

Head = Annotated[
    str | None, typer.Option(help="multi-task: the name of the one to take of its tasks.")
]


def files(task: str, given: list[str]) -> Any:
    """The file that was given; of several tasks a file each, by name.

    Args:
        task: The name of the kind of task.
        given: A path; for multi-task `NAME=FILE` as often as there are tasks.

    Raises:
        UserError: If there are several, or a name is missing.

    Example:
        >>> files("multi-task", ["films=a.tsv", "same=b.tsv"])
        {'films': PosixPath('a.tsv'), 'same': PosixPath('b.tsv')}
    """
    if task != MULTI_TASK:
        if len(given) > 1:
            raise UserError(f"{task} takes one file, got {len(given)}: {', '.join(given)}")
        return Path(given[0])
    found: dict[str, Path] = {}
    for each in given:
        name, equals, path = each.partition("=")
        if not (name and equals and path):
            raise UserError(f"multi-task wants NAME=FILE, got {each!r}")
        if name in found:
            raise UserError(f"multi-task has two files for {name!r}")
        found[name] = Path(path)
    return found


def one_task(zoo: ModuleType, run: Path, head: str | None) -> Any:
    """The task of a run folder; of a run of several tasks the one of that name.

    Args:
        zoo: The package, which commands import late.
        run: The folder.
        head: The name.

    Raises:
        UserError: If there is none of that name, or there are several and none is named.
    """
    task = zoo.load(run)
    if task.name == MULTI_TASK:
        if head is None:
            raise UserError(
                f"{run} has several tasks: choose by --head from {', '.join(task.names)}"
            )
        return task.classifier(head)
    if head is not None:
        raise UserError(f"{task.name} has no option --head")
    return task
