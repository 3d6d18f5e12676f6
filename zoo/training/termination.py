"""SIGTERM during training, as Slurm and Kubernetes send it: save a checkpoint, then end."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self

from zoo.training import hosts

TERMINATED = 143  # exit status, of every program that SIGTERM ends


class Terminated(BaseException):
    """SIGTERM came while an epoch was validated, whose batches are all trained on."""


@contextmanager
def ends_at_once() -> Iterator[None]:
    """Context in which a process that SIGTERM ends does so as soon as its checkpoint is saved.

    Else Python takes down the readers of TensorFlow first, for a minute on a busy machine.

    Example:
        >>> with ends_at_once():
        ...     pass
    """
    try:
        yield
    except SystemExit as ended:
        if ended.code != TERMINATED:
            raise
        hosts.leave()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(TERMINATED)


class Termination:
    """Context in which SIGTERM is a request to end, after the first batch.

    Before, there is nothing to save, and SIGTERM ends the process at once, also while it compiles.
    Of several processes, one that is told is enough: all end before the same batch, of training or
    of validation.

    SIGTERM is handled as before if another handler is installed, if it is ignored, and outside the
    main thread.

    Example:
        >>> with Termination() as termination:
        ...     termination.due()
        False
    """

    def __init__(self) -> None:
        self._several = hosts.count_processes() > 1
        self._requested = self._armed = False
        self._asked = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._armed and self._several:
            hosts.end_at_sigterm()
        elif self._armed:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def arm(self) -> None:
        """Begins to handle SIGTERM."""
        if self._armed:
            return
        if self._several:
            hosts.tell_of_sigterm()
            self._armed = True
        elif threading.current_thread() is threading.main_thread():
            if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
                signal.signal(signal.SIGTERM, self._request)
                self._armed = True

    def due(self) -> bool:
        """Whether training must end now. All processes ask before each batch."""
        self._asked += 1
        return hosts.all_end_before(self._asked) if self._several else self._requested

    def check(self) -> None:
        """Raises `Terminated` if validation must end now. All processes ask before each batch."""
        if self.due():
            raise Terminated

    @property
    def requested(self) -> bool:
        """Whether this process, alone, was told to end."""
        return self._requested

    def _request(self, number: int, frame: FrameType | None) -> Any:
        self._requested = True
