"""The states of a task: what it learned from training data, and what is fitted."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import keras

from zoo.tasks.parts.kinds import P, S


@dataclass(frozen=True)
class Pretrained:
    """A pretrained tokenizer and initial weights for a task.

    Args:
        tokenizer: The tokenizer.
        load: Function that loads the initial weights into the task's model.
    """

    tokenizer: Any
    load: Callable[[keras.Model], None]


@dataclass(frozen=True)
class Start:
    """What is given of a model before a task learns from data.

    Args:
        model_options: Its options by name.
        pretrained: The checkpoint that it starts from, or None.
    """

    model_options: Mapping[str, Any]
    pretrained: Pretrained | None


@dataclass(frozen=True)
class Learned(Generic[S, P]):
    """What a task learns from its training data before it has a model.

    Args:
        settings: The settings, with those that depend on the data, such as the labels.
        preprocessor: The fitted preprocessor.
        model_options: Further options of the model.
        initialize: Sets weights of the new model, such as word vectors; None if there are none.
        notes: Lines for the log about where initial weights come from.
    """

    settings: S
    preprocessor: P
    model_options: Mapping[str, Any] = field(default_factory=dict)
    initialize: Callable[[keras.Model], None] | None = None
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Fitted(Generic[S, P]):
    """A task that is adapted to data: its settings, its preprocessor and its model."""

    settings: S
    preprocessor: P
    model: keras.Model


AnyFitted = Fitted[Any, Any]
F = TypeVar("F", bound=AnyFitted)
