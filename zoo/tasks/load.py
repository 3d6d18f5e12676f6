"""Loads the task of a run folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoo.errors import UserError
from zoo.registry import TASKS
from zoo.rows import choose, resolve
from zoo.tasks.folder import CONFIG, read_config

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


def load(folder: str | Path) -> "Task":
    """Loads a task from a run folder.

    Args:
        folder: A folder that `task.save` or `task.fit(folder=...)` wrote.

    Raises:
        UserError: If the folder is not a run folder, or is damaged.
    """
    name = read_config(Path(folder))["task"]
    try:
        kind = task_class(name)
    except UserError as error:
        raise UserError(f"{Path(folder) / CONFIG}: {error}") from None
    found: Task = kind.load(folder)
    return found
