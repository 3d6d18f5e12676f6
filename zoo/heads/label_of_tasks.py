"""Labels of several tasks as answers: each row has one of each task."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import keras

from zoo.heads.head import Reader
from zoo.heads.label import LabelHead, label_objective
from zoo.preprocessing.base import Features
from zoo.serving.inference import Inference, OutputAxes, Tensors
from zoo.text.form import TextForm
from zoo.training.objective import Objective

MEAN = "mean_accuracy"


@dataclass(frozen=True)
class LabelOfTasksHead:
    """A label of each of several tasks for each row; a `zoo.heads.head.Head`.

    Names of outputs are those of a `LabelHead` after the name of the task, such as `films_scores`.

    Args:
        heads: The head of each task, by name.
    """

    heads: Mapping[str, LabelHead]

    @property
    def axes(self) -> OutputAxes:
        """The axes of each output, by name."""
        return {
            f"{name}_{output}": axes
            for name, head in self.heads.items()
            for output, axes in head.axes.items()
        }

    @property
    def meanings(self) -> dict[str, str]:
        return {
            f"{name}_{output}": f"{meaning}, of {name}"
            for name, head in self.heads.items()
            for output, meaning in head.meanings.items()
        }

    @property
    def files(self) -> dict[str, str]:
        return {}

    def inferences(self, model: keras.Model, reader: Reader) -> dict[str, Inference]:
        """The inference of a model with logits for each task, by name of the signature."""

        def compute(inputs: Tensors) -> Tensors:
            logits = model(inputs)
            outputs: Tensors = {}
            for name, head in self.heads.items():
                outputs |= _named(name, head.outputs(logits[name]))
            return outputs

        return {reader.name: Inference(reader.features, reader.prepare, compute, self.axes)}

    def objective(self, weights: Mapping[str, float], smoothing: float = 0.0) -> Objective:
        """Cross-entropy and accuracy of the labels of each task.

        Formula: `L = sum_t lambda_t L_t`

        Args:
            weights: The factor lambda of the loss of a task, by its name; 1 if there is none.
            smoothing: Label smoothing factor.
        """
        factors = {name: weights.get(name, 1.0) for name in self.heads}
        return label_objective(self.heads, smoothing, f"val_{MEAN}", factors)

    def postprocess(self, outputs: Tensors, features: Features, form: TextForm) -> Tensors:
        answers: Tensors = {}
        for name, head in self.heads.items():
            own = {output: outputs[f"{name}_{output}"] for output in head.axes}
            answers |= _named(name, head.postprocess(own, features, form))
        return answers

    def result(self, row: Mapping[str, Any]) -> dict[str, str]:
        """The label of each task, by its name."""
        return {
            name: head.result({"text": row[f"{name}_text"]}) for name, head in self.heads.items()
        }

    def text(self, result: str) -> str:
        """The label of one task."""
        return result


def _named(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{name}_{key}": value for key, value in values.items()}
