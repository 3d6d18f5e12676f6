"""Quantiles as answers: forecasts of the next values of a series."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from zoo.metrics.forecasts import middle
from zoo.preprocessing.base import Features
from zoo.serving.inference import OutputAxes, Tensors
from zoo.text.form import TextForm
from zoo.training.score_scaling import ScoreScaling

DIGITS = 4  # of a number in a report


@dataclass(frozen=True)
class QuantilesHead:
    """Quantiles of the next values of each target; a `zoo.heads.head.Head`.

    Args:
        levels: The levels of the quantiles.
        targets: The names of the targets.
        horizon: The number of steps H.
        spread: What the distances of the quantiles from the middle one are multiplied by.

    Example:
        >>> head = QuantilesHead([0.1, 0.5, 0.9], ["sales"], 1, spread=2.0)
        >>> head.spread_out(np.array([3.0, 4.0, 6.0])).tolist()
        [2.0, 4.0, 8.0]
    """

    levels: Sequence[float]
    targets: Sequence[str]
    horizon: int
    spread: float = 1.0

    @property
    def axes(self) -> OutputAxes:
        """The axes of each output, by name."""
        return {"forecast": ("batch", self.horizon, len(self.targets), len(self.levels))}

    @property
    def meanings(self) -> dict[str, str]:
        levels = ", ".join(f"{level:g}" for level in self.levels)
        targets = ", ".join(self.targets)
        return {
            "forecast": f"for each step of the forecast and each target ({targets}), the quantiles "
            f"at the levels {levels}"
        }

    @property
    def files(self) -> dict[str, str]:
        return {}

    def scaled(self, scaling: ScoreScaling) -> Self:
        """The head with the spread of a trained model."""
        return replace(self, spread=scaling.temperature)

    def spread_out(self, forecast: Any) -> Any:
        """Quantiles (..., Q) of a model with the spread of the head, a tensor or an array."""
        if self.spread == 1.0:
            return forecast
        place = middle(self.levels)
        center = forecast[..., place : place + 1]
        return center + self.spread * (forecast - center)

    def postprocess(self, outputs: Tensors, features: Features, form: TextForm) -> Tensors:
        return outputs

    def result(self, row: Mapping[str, Any]) -> np.ndarray:
        """Quantiles (H, Q), or (H, C, Q) of several targets."""
        forecast: np.ndarray = row["forecast"]
        return forecast[:, 0] if forecast.shape[1] == 1 else forecast

    def text(self, result: Any) -> str:
        """The median of a forecast."""
        return values_as_text(np.asarray(result)[..., middle(self.levels)])


def values_as_text(values: np.ndarray) -> str:
    """Values (H,) or (H, C) as text.

    Example:
        >>> values_as_text(np.array([[1.0, 0.123456], [2.0, 3.0]]))
        '1/0.1235, 2/3'
    """
    rows = np.asarray(values).reshape(len(values), -1).tolist()
    return ", ".join("/".join(f"{value:.{DIGITS}g}" for value in row) for row in rows)
