"""The objective of training: loss, metrics, and the value that selects the best epoch."""

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Objective:
    """Loss, metrics and monitored value of a training run.

    Args:
        loss: A loss, or losses by name of the output; see `model.compile`.
        metrics: Metrics, or lists of metrics by name of the output; see `model.compile`.
        monitor: Name of the monitored value, such as "val_loss"; None without validation data, so
            that the last epoch is the best.
        mode: "min" or "max": whether lower or higher values are better.
        loss_weights: Factors of the losses by name of the output.

    Raises:
        ValueError: If `mode` is neither "min" nor "max".
    """

    loss: Any
    metrics: Any = None
    monitor: str | None = "val_loss"
    mode: Literal["min", "max"] = "min"
    loss_weights: dict[str, float] | None = None

    def __post_init__(self) -> None:
        if self.mode not in ("min", "max"):
            raise ValueError(f'`mode` must be "min" or "max", got {self.mode!r}.')
