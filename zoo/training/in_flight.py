"""A limit of the batches whose results have not arrived yet."""

import threading

AHEAD = 2  # one that the device computes, and one that waits for it
PATIENCE = 60.0  # seconds, after which there is no limit: a result may never come


class InFlight:
    """A limit of the batches that are handed to a device and not finished.

    JAX returns from a step before it is computed, and would hand dozens of them to the device.
    Whatever needs the weights then waits for all of them, such as a checkpoint at SIGTERM.

    Example:
        >>> batches = InFlight()
        >>> batches.start()
        >>> batches.finish()
        >>> batches.count
        0
    """

    def __init__(self, ahead: int = AHEAD, patience: float = PATIENCE) -> None:
        self.count = 0
        self._ahead, self._patience = ahead, patience
        self._changed = threading.Condition()

    def reset(self) -> None:
        """Forgets batches whose results will not come."""
        with self._changed:
            self.count = 0

    def start(self) -> None:
        """Waits until a further batch may start, which is counted."""
        with self._changed:
            self._changed.wait_for(lambda: self.count < self._ahead, self._patience)
            self.count += 1

    def finish(self) -> None:
        """Counts a batch whose result has arrived, from any thread."""
        with self._changed:
            self.count = max(0, self.count - 1)
            self._changed.notify()
