"""Base class of the tasks whose answers a head gives."""

from collections.abc import Mapping
from typing import Any

from zoo.heads.head import Head
from zoo.preprocessing.base import Features
from zoo.serving.inference import Run, Tensors
from zoo.tasks.task import Task
from zoo.text.form import TextForm


class Answering(Task):
    """A task that has a head, which says what its outputs are, and how they are scored.

    A subclass implements `head`, and `references`, the correct answers.
    """

    @property
    def head(self) -> Head:
        """The kind of answer, with the values it depends on, such as the labels."""
        raise NotImplementedError

    @property
    def meanings(self) -> dict[str, str]:
        return self.head.meanings

    def assets(self) -> dict[str, str]:
        return {**super().assets(), **self.head.files}

    def postprocess(
        self, outputs: Tensors, features: Features, form: TextForm = TextForm.STRINGS
    ) -> Tensors:
        return self.head.postprocess(outputs, features, form)

    def result(self, row: Mapping[str, Any]) -> Any:
        return self.head.result(row)

    def result_text(self, result: Any) -> str:
        return self.head.text(result)

    def score(self, examples: Any, run: Run) -> dict[str, float]:
        references: Any = self.references(examples)
        self.head.check(references, examples.path)
        rows = self.predict_rows(examples.inputs, run)
        return self.head.score(references, [self.result(row) for row in rows])
