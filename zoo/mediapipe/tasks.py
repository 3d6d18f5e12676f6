"""The tasks that MediaPipe runs, in the form that it takes."""

from typing import TYPE_CHECKING, Any

from zoo.errors import UserError
from zoo.mediapipe.images import MediaPipeImages
from zoo.mediapipe.texts import MediaPipeTexts

if TYPE_CHECKING:
    from zoo.tasks.task import Task

# By name of the task: name of MediaPipe's task, and the form of its file.
TASKS: dict[str, tuple[str, Any]] = {
    "text-classifier": ("TextClassifier", MediaPipeTexts),
    "text-embedder": ("TextEmbedder", MediaPipeTexts),
    "image-classifier": ("ImageClassifier", MediaPipeImages),
}


def for_mediapipe(task: "Task", length: int | None = None) -> Any:
    """A task in the form that `export.mediapipe` takes.

    Args:
        task: The task.
        length: Maximum number of tokens of a text. Defaults to that of the task.

    Raises:
        UserError: If MediaPipe has no such task, or reads its inputs differently.
    """
    if task.name not in TASKS:
        raise UserError(f"MediaPipe has no task {task.name}; it has {', '.join(TASKS)}")
    name, form = TASKS[task.name]
    return form(task, name, length)
