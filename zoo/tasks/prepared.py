"""Tasks that tokenize like prepared data, or like a run."""

from pathlib import Path

from zoo.data.shards.manifest import TASK, is_shards
from zoo.tasks.load import load
from zoo.tasks.preparing import load_preparation, preparable_format
from zoo.tasks.task import Task


def like(folder: Path) -> Task:
    """A task that tokenizes like prepared data, or like a run."""
    if is_shards(folder):
        return load_preparation(folder / TASK).task
    task = load(folder)
    preparable_format(task)
    return task
