"""The interval of checkpoints in the middle of an epoch: a number of steps, or a time."""

import re
import time
from collections.abc import Callable

from zoo.errors import UserError
from zoo.option_names import option_name

SECONDS = {"s": 1, "m": 60, "h": 3600}


class SaveEvery:
    """Tells when a checkpoint is due.

    Args:
        given: A number of steps, or a time with its unit: "90s", "10m" or "1h".
        clock: Tells the seconds since any moment.

    Raises:
        UserError: If it is neither.

    Example:
        >>> every = SaveEvery(3)
        >>> [step for step in range(1, 8) if every.due(step)]
        [3, 6]
    """

    def __init__(self, given: str | int, clock: Callable[[], float] = time.monotonic) -> None:
        match = re.fullmatch(r"([1-9]\d{0,8})([smh]?)", str(given), re.ASCII)
        if match is None or isinstance(given, bool):
            name = option_name("save_every")
            raise UserError(
                f"{name} must be a number of steps, such as 500, or a time, such as 90s, 10m "
                f"or 1h; got {given!r}"
            )
        count, unit = int(match[1]), match[2]
        self._steps = None if unit else count
        self._seconds = count * SECONDS[unit] if unit else 0
        self._clock, self._last = clock, clock()

    def due(self, step: int) -> bool:
        """Whether to save after `step` steps of an epoch."""
        if self._steps is not None:
            return step % self._steps == 0
        now = self._clock()
        if now - self._last < self._seconds:
            return False
        self._last = now
        return True
