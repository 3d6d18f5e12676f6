"""The metadata of a file for MediaPipe."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoo.lines import LABELS

if TYPE_CHECKING:
    from zoo.tasks.task import Task


@dataclass(frozen=True)
class Metadata:
    """What MediaPipe has to know of a model, following the protocol that `export` defines.

    Args:
        name: Name of MediaPipe's task.
        description: What the model does, in a sentence.
        vocabulary: The lines of the vocabulary of MediaPipe's BERT tokenizer; None if the model
            takes images.
        labels: The labels, in the order of the scores; None if it has none.
    """

    name: str
    description: str
    vocabulary: str | None = None
    labels: str | None = None


def labels_file(task: "Task") -> str | None:
    """The labels of a task, one a line; None if it has none."""
    files: dict[str, str] = task.head.files
    return files.get(LABELS)
