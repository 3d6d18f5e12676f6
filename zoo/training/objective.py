"""What a model is trained for: loss, metrics, and the value that the best epoch is chosen by."""

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Objective:
    """Loss and metrics, as for `model.compile`, and the value that training watches.

    Args:
        loss: The loss, or losses by name of the output.
        metrics: The metrics, or lists of them by name of the output.
        monitor: Name of the watched value, such as "val_loss".
        mode: "min" or "max": which values are better.
        loss_weights: Factors of the losses, by name of the output.
    """

    loss: Any
    metrics: Any = None
    monitor: str = "val_loss"
    mode: Literal["min", "max"] = "min"
    loss_weights: dict[str, float] | None = None
