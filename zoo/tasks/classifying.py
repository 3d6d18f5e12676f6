"""What the tasks share that give each row one label."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from keras import ops

from zoo.lines import LABELS, to_lines
from zoo.preprocessing.base import Features
from zoo.serving.inference import Run, Tensors
from zoo.tasks.definition import adapted
from zoo.tasks.encoder import label_objective
from zoo.tasks.labels import class_numbers, class_scores
from zoo.tasks.scores import score_labels
from zoo.tasks.task import Task
from zoo.text.form import TextForm, chosen
from zoo.training.objective import Objective


class Classifying(Task):
    """A task that gives each row one of the labels in `settings.labels`.

    Its examples have a `path`, raw `inputs` and `labels`; its model has the output `logits` (B, C).
    """

    caveats: ClassVar = ("It gives one of its labels to every input, also where none fits.",)

    @property
    def labels(self) -> list[str]:
        """The labels in class order."""
        return adapted(self.settings.labels)

    def references(self, examples: Any) -> list[str]:
        return examples.labels

    def numbers(self, examples: Any) -> list[int]:
        """The class number of each example.

        Raises:
            UserError: If a label is unknown.
        """
        number = class_numbers(self.labels, examples.labels, "label", examples.path)
        return [number[label] for label in examples.labels]

    def objective(self, training: Any) -> Objective:
        return label_objective(["logits"], training)

    def classes(self, logits: Any) -> Tensors:
        """The probability of each label, and the most probable one, from logits (B, C)."""
        return class_scores(ops.softmax(logits, axis=-1))

    @property
    def class_axes(self) -> dict[str, tuple[Any, ...]]:
        """The axes of what `classes` returns, by name."""
        return {"scores": ("batch", len(self.labels)), "class_id": ("batch",)}

    def postprocess(
        self, outputs: Tensors, features: Features, form: TextForm = TextForm.STRINGS
    ) -> Tensors:
        return {**outputs, **chosen(self.labels, outputs["class_id"], form)}

    @property
    def meanings(self) -> dict[str, str]:
        return {
            "scores": f"the probability of each label, in the order of {LABELS}",
            "class_id": f"the most probable label: its line in {LABELS}, from 0",
            "text": "the most probable label",
        }

    def assets(self) -> dict[str, str]:
        return {**super().assets(), LABELS: to_lines(self.labels)}

    def result(self, row: Mapping[str, Any]) -> str:
        return row["text"].decode()

    def predict_proba(self, data: Any, batch_size: int = 64) -> np.ndarray:
        """The probability of each label, (B, C) in the order of `labels`.

        Args:
            data: A list of raw inputs, as `predict` takes it.
            batch_size: Batch size.
        """
        rows = self.predict_rows(self.raw_inputs(data), self.runner(), batch_size)
        return np.array([row["scores"] for row in rows]).reshape(-1, len(self.labels))

    def score(self, examples: Any, run: Run) -> dict[str, float]:
        self.numbers(examples)  # raises for an unknown label
        found = [self.result(row) for row in self.predict_rows(examples.inputs, run)]
        return score_labels(examples.labels, found)
