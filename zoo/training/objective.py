"""The objective of training: loss, metrics, and the value that selects the best epoch."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal


def _nothing() -> Mapping[str, float]:
    return MappingProxyType({})


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
        learned: Function to what is learned of the objective itself, such as weights of losses, by
            name, which the log shows after each epoch.

    Raises:
        ValueError: If `mode` is neither "min" nor "max".
    """

    loss: Any
    metrics: Any = None
    monitor: str | None = "val_loss"
    mode: Literal["min", "max"] = "min"
    loss_weights: dict[str, float] | None = None
    learned: Callable[[], Mapping[str, float]] = _nothing

    def __post_init__(self) -> None:
        if self.mode not in ("min", "max"):
            raise ValueError(f'`mode` must be "min" or "max", got {self.mode!r}.')
