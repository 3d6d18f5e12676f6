"""The loader of the task of a run folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.errors import UserError
from zoo.registry import TASKS
from zoo.registry_rows import choose, resolve
from zoo.tasks.config import read_config
from zoo.tasks.folder import CONFIG

if TYPE_CHECKING:
    from zoo.tasks.task import Task


def task_class(name: str) -> Any:
    """The class of a task.

    Raises:
        UserError: If there is no such task; the message lists the choices.

    Example:
        >>> task_class("causal-lm").__name__
        'CausalLM'
    """
    return resolve(choose(TASKS, name, "task").path)


def load(folder: str | Path, check_digests: bool = True) -> "Task":
    """Loads a task from a run folder.

    Args:
        folder: A folder that `task.save` or `task.fit(folder=...)` wrote.
        check_digests: Whether to check that the files are those that were saved, by their SHA-256
            digests, which takes about a second for each gigabyte.

    Raises:
        UserError: If the folder is not a run folder, or is damaged.
    """
    name = read_config(Path(folder))["task"]
    try:
        kind = task_class(name)
    except UserError as error:
        raise UserError(f"{Path(folder) / CONFIG}: {error}") from None
    task: Task = kind.load(folder, check_digests)
    return task
