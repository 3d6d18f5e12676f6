"""Base class of the tasks that give each row one label."""

from typing import Any, ClassVar

import numpy as np

from zoo.heads.label import LabelHead, label_objective
from zoo.serving.inference import Run
from zoo.tasks.definition import adapted
from zoo.tasks.undivided import UndividedTask
from zoo.training.objective import Objective


class Classifying(UndividedTask):
    """A task that gives each row one of the labels in `settings.labels`.

    Its examples have a `path`, raw `inputs` and `labels`; its model has the output `logits` (B, C).
    """

    caveats: ClassVar = ("It gives one of its labels to every input, also where none fits.",)

    @property
    def labels(self) -> list[str]:
        """The labels in class order."""
        return adapted(self.settings.labels)

    @property
    def head(self) -> LabelHead:
        return LabelHead(self.labels)

    def references(self, examples: Any) -> list[str]:
        return examples.labels

    def objective(self, training: Any) -> Objective:
        return label_objective({"logits": self.head}, training.label_smoothing)

    def score(self, examples: Any, run: Run) -> dict[str, float]:
        self.head.numbers(examples.labels, examples.path)  # raises for an unknown label
        rows = self.predict_rows(examples.inputs, run)
        return self.head.score(examples.labels, [self.result(row) for row in rows])

    def predict_proba(self, data: Any, batch_size: int = 64) -> np.ndarray:
        """The probability of each label, (B, C) in the order of `labels`.

        Args:
            data: A list of raw inputs, as `predict` takes it.
            batch_size: Batch size.
        """
        rows = self.predict_rows(self.raw_inputs(data), self.runner(), batch_size)
        return np.array([row["scores"] for row in rows]).reshape(-1, len(self.labels))
