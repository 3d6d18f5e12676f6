"""The protocol of callbacks that follow a training by its epochs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class EpochResult:
    """What is known of an epoch.

    Args:
        epoch: Its number, from 1.
        metrics: Its metrics; those of the validation data begin with `val_`.
        monitor: The metric by which the best epoch is chosen; None without validation data.
        mode: Whether the monitored metric is better if it is lower, "min", or higher, "max".
    """

    epoch: int
    metrics: Mapping[str, float]
    monitor: str | None
    mode: str

    @property
    def monitored(self) -> float | None:
        """The value of the monitored metric; None if it was not computed in this epoch."""
        return None if self.monitor is None else self.metrics.get(self.monitor)


class EpochCallback(Protocol):
    """What is told the metrics of each epoch, and may end the training.

    Of several processes, it is called in the one that writes, and may not end the training.

    Example:
        >>> class Until:
        ...     def on_epoch(self, result):
        ...         return result.metrics["loss"] < 0.1
        >>> import zoo
        >>> task = zoo.TextClassifier(num_buckets=64)
        >>> rows = [("a fine film", "good"), ("a dull one", "bad")] * 9
        >>> history = task.fit(rows, epochs=50, callbacks=[Until()], xla=False, verbose=False)
        >>> history.stopped, len(history.epoch) < 50
        ('callback', True)
    """

    def on_epoch(self, result: EpochResult) -> bool | None:
        """Called at the end of an epoch.

        Args:
            result: What is known of the epoch.

        Returns:
            Whether the training should end now, after a checkpoint.
        """
