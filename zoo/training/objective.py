"""The objective of training: loss, metrics, and the value that selects the best epoch."""

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Objective:
    """Loss, metrics and monitored value of a training run.

    Args:
        loss: A loss, or losses by name of the output; see `model.compile`.
        metrics: Metrics, or lists of metrics by name of the output; see `model.compile`.
        monitor: Name of the monitored value, such as "val_loss".
        mode: "min" or "max": whether lower or higher values are better.
        loss_weights: Factors of the losses by name of the output.
    """

    loss: Any
    metrics: Any = None
    monitor: str = "val_loss"
    mode: Literal["min", "max"] = "min"
    loss_weights: dict[str, float] | None = None
