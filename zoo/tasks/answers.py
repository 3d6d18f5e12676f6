"""The answers of tasks: each learns what its head depends on, and makes the head."""

from dataclasses import replace
from typing import Any, TypeVar

from zoo.data.examples import LabeledExamples
from zoo.errors import UserError
from zoo.heads.label import LabelHead, labels_of
from zoo.preprocessing.base import Preprocessor
from zoo.tasks.options.common import LabelSettings
from zoo.tasks.parts import Answer

S = TypeVar("S", bound=LabelSettings)
P = TypeVar("P", bound=Preprocessor)
E = TypeVar("E", bound=LabeledExamples)


class Labels(Answer[S, P, E, LabelHead]):
    """One label for each row: those of the settings, or else those of the training data."""

    caveats = ("It gives one of its labels to every input, also where none fits.",)

    def learn(self, examples: E, settings: S) -> S:
        labels = labels_of(examples.labels, settings.labels, "label", examples.path)
        return replace(settings, labels=labels)

    def sizes(self, settings: S) -> dict[str, Any]:
        return {"num_classes": len(self.labels(settings))}

    def head(self, settings: S, preprocessor: P) -> LabelHead:
        return LabelHead(self.labels(settings))

    def references(self, examples: E, head: LabelHead) -> list[str]:
        head.numbers(examples.labels, examples.path)  # raises for an unknown label
        return examples.labels

    def labels(self, settings: S) -> list[str]:
        """The labels in class order."""
        if settings.labels is None:
            raise UserError("the task has no labels yet: call adapt(data) first")
        return settings.labels
