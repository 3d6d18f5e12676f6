"""The shares of several tasks in the batches of an epoch."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zoo.errors import UserError


@dataclass(frozen=True)
class Sampling:
    """The share of each of several tasks in the batches of an epoch.

    Source: Stickland & Murray 2019, section 4.1: annealed sampling has `first` 1 and `last` 0.2.
        Raffel et al. 2020, section 3.5.2: the temperature T of T5 is `a = 1 / T`.
    Formula: task t contributes `N n_t^a / sum_u n_u^a` batches, where n_t is its number of batches,
        N that of all tasks together, and `a = first + (last - first) e / (epochs - 1)` in epoch e,
        counted from 0; rounded by the largest remainders, and at least 1

    Args:
        first: The exponent of the first epoch: 1 samples tasks in proportion to their number of
            batches, 0 all equally often.
        last: That of the last epoch; None for the same one.
        epochs: The number of epochs.

    Raises:
        UserError: If an exponent is not in [0, 1].

    Example:
        >>> annealed = Sampling(1.0, 0.0, epochs=3)
        >>> [annealed.counts([90, 10], epoch) for epoch in range(3)]
        [[90, 10], [75, 25], [50, 50]]
    """

    first: float = 1.0
    last: float | None = None
    epochs: int = 1

    def __post_init__(self) -> None:
        for exponent in (self.first, self._last):
            if not 0 <= exponent <= 1:
                raise UserError(f"sampling must be from 0 to 1, got {exponent}")

    @property
    def _last(self) -> float:
        return self.first if self.last is None else self.last

    def counts(self, sizes: Sequence[int], epoch: int) -> list[int]:
        """The number of batches of each task in an epoch, as many in all as the tasks have.

        Args:
            sizes: The number of batches that each task has.
            epoch: The epoch, counted from 0; after the last one, it is as in that.
        """
        done = min(epoch / max(self.epochs - 1, 1), 1.0)
        exponent = self.first + (self._last - self.first) * done
        powers = np.array(sizes, "float64") ** exponent
        wanted = powers / powers.sum() * sum(sizes)
        counts = np.maximum(1, np.floor(wanted)).astype(int)
        for task in np.argsort(counts - wanted, kind="stable")[: max(0, sum(sizes) - counts.sum())]:
            counts[task] += 1
        while counts.sum() > sum(sizes):  # because of tasks that get 1 instead of less
            counts[counts.argmax()] -= 1
        rows: list[int] = counts.tolist()
        return rows
