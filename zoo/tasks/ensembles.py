"""Runs that generate texts together."""

import copy
from typing import TYPE_CHECKING, Any, TypeVar

from zoo.errors import UserError
from zoo.models.ensemble import Ensemble
from zoo.tasks.answers.generated_text import GeneratedText

if TYPE_CHECKING:
    from zoo.tasks.task import Task

T = TypeVar("T", bound="Task")


def ensemble(first: T, *others: "Task") -> T:
    """A task that predicts by the mean of the probabilities of several trained ones.

    Its `predict`, `evaluate` and `compare` take the options of the first. It cannot be trained,
    saved or exported.

    Args:
        first: The task that gives the settings, such as the maximum lengths.
        *others: Tasks of the same kind with the same vocabulary, such as runs with other seeds.

    Raises:
        UserError: If a task generates no texts, is of another kind, or has another vocabulary.

    Example:
        >>> import zoo
        >>> pairs = [("one two", "eins zwei"), ("two", "zwei")] * 2
        >>> tasks = []
        >>> for seed in (0, 1):
        ...     task = zoo.TextToText(hidden_dim=16, num_layers=1, num_heads=2, seed=seed)
        ...     history = task.fit(pairs, epochs=1, xla=False, verbose=False)
        ...     tasks.append(task)
        >>> len(zoo.ensemble(*tasks).predict(["two", "one"], beams=2))
        2
    """
    tasks: list[Task] = [first, *others]
    for task in tasks:
        if not isinstance(task.parts.answer, GeneratedText) or not task.has_keras_model:
            raise UserError(f"an ensemble needs runs that generate texts, and {task.name} does not")
        if task.name != first.name:
            raise UserError(f"an ensemble of {first.name} must not contain {task.name}")
        if _vocabulary(task) != _vocabulary(first):
            raise UserError(
                "the runs of an ensemble must have the same vocabulary: train them on the same "
                "data with other seeds"
            )
    together = copy.copy(first)
    together.set_fitted(first.preprocessor, Ensemble([task.model for task in tasks]))
    return together


def _vocabulary(task: "Task") -> tuple[Any, Any]:
    """What two tasks share that read and write alike."""
    return task.tokenizer.facts(), task.preprocessor.facts()


def refuse_ensemble(task: "Task", what: str) -> None:
    """Raises a `UserError` if a task is an ensemble, which cannot be trained, saved or exported."""
    if task.is_adapted and isinstance(task.model, Ensemble):
        raise UserError(f"an ensemble cannot be {what}: use its runs one by one")
