"""The settings of a task that prepared data determine."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from zoo.tasks.options.common import TaskSettings

S = TypeVar("S", bound=TaskSettings)

OF_TOKENIZER = ("tokenizer", "vocabulary_size")


def completed(settings: S, prepared: Mapping[str, Any], depends_on: Sequence[str]) -> S:
    """The settings of a task with those that its training data was prepared with.

    Args:
        settings: The settings. Those that were given stay, except those of the tokenizer.
        prepared: The settings of the data; empty if it is not prepared.
        depends_on: The settings that tokenized examples depend on.
    """
    now = settings.values()
    values = dict(now)
    if prepared:
        values |= {name: prepared.get(name) for name in depends_on if now[name] is None}
    values |= {name: prepared[name] for name in OF_TOKENIZER if name in prepared and name in now}
    return type(settings)(**values)
