"""Values as answers: each row has one number, or several with names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from keras import ops

from zoo.preprocessing.base import Features
from zoo.serving.inference import OutputAxes, Tensors
from zoo.text.form import TextForm
from zoo.training.objective import Objective
from zoo.training.values import MaskedR2, MaskedValueLoss

Value = float | dict[str, float]  # of several values, each by its name


@dataclass(frozen=True)
class ValuesHead:
    """Values for each row, in the units of the data; a `zoo.heads.head.Head`.

    The model learns standardized values; the graph converts its outputs to the units of the data.

    Formula: `value = mean + scale logits`

    Args:
        names: The names of the values, in the order of the outputs.
        means: The mean of each in the training data.
        scales: The standard deviation of each in the training data.

    Example:
        >>> head = ValuesHead(["stars"], [3.0], [2.0])
        >>> ops.convert_to_numpy(head.outputs(ops.convert_to_tensor([[0.5]]))["values"]).tolist()
        [[4.0]]
        >>> head.standardized([(4.0,)]).tolist()
        [[0.5]]
    """

    names: list[str]
    means: list[float]
    scales: list[float]

    @property
    def axes(self) -> OutputAxes:
        """The axes of each of the `outputs`, by name."""
        return {"values": ("batch", len(self.names))}

    @property
    def meanings(self) -> dict[str, str]:
        return {"values": f"the predicted values, in the order {', '.join(self.names)}"}

    @property
    def files(self) -> dict[str, str]:
        return {}

    def objective(self, loss: str) -> Objective:
        """The loss and R² of the output `logits`.

        Args:
            loss: "mse", "mae" or "huber", of standardized values.
        """
        metrics = {"logits": [MaskedR2(len(self.names))]}
        return Objective(loss={"logits": MaskedValueLoss(loss)}, metrics=metrics)

    def outputs(self, logits: Any) -> Tensors:
        """The values (B, K) from logits (B, K), in `keras.ops`."""
        scales, means = (ops.array([each], "float32") for each in (self.scales, self.means))
        return {"values": ops.cast(logits, "float32") * scales + means}

    def postprocess(self, outputs: Tensors, features: Features, form: TextForm) -> Tensors:
        return outputs

    def result(self, row: Mapping[str, Any]) -> Value:
        return self.named(row["values"])

    def named(self, values: Sequence[float]) -> Value:
        """The value of a row; of several, each by its name."""
        named = dict(zip(self.names, map(float, values), strict=True))
        return named if len(named) > 1 else named[self.names[0]]

    def text(self, result: Value) -> str:
        if isinstance(result, dict):
            return ", ".join(f"{name} {value:.4g}" for name, value in result.items())
        return f"{result:.4g}"

    def row(self, result: Value) -> list[float]:
        """The values of an answer, in the order of the names."""
        return [result[name] for name in self.names] if isinstance(result, dict) else [result]

    def standardized(self, values: Sequence[Sequence[float]]) -> np.ndarray:
        """What the model learns: values (B, K) with mean 0 and standard deviation 1, float32."""
        rows = np.array(values, np.float64).reshape(-1, len(self.names))
        return ((rows - self.means) / self.scales).astype(np.float32)
