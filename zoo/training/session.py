"""Checks and callbacks of a single call of training, which may be one of several for a run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from zoo.errors import UserError
from zoo.option_names import option_name
from zoo.training.callbacks import EpochCallback
from zoo.training.distribution import check_distribution
from zoo.training.hosts import alone, count_processes, writes
from zoo.training.options import SessionOptions
from zoo.training.rematerialization import check_remat
from zoo.training.save_every import SaveEvery
from zoo.training.trackers import check_trackers


@dataclass(frozen=True, kw_only=True)
class Hooks:
    """Functions that training calls, in the process that writes.

    Args:
        started: Called before the first step, or None.
        saved: Called after each checkpoint, or None.
        callbacks: Told the metrics of each epoch.
    """

    started: Callable[[], None] | None = None
    saved: Callable[[], None] | None = None
    callbacks: Sequence[EpochCallback] = ()

    def in_writer(self) -> Self:
        """The functions of this process, which compute on it alone; none if it does not write."""
        if not writes():
            return type(self)()
        started, saved = (each and alone()(each) for each in (self.started, self.saved))
        return replace(self, started=started, saved=saved)


def check_session(session: SessionOptions, jit_compile: bool | str = "auto") -> None:
    """Checks that training is possible here, and joins the other processes if there are any.

    It comes before all that takes time: reading data, fitting a tokenizer, building a model.

    Args:
        session: Validated options of the call.
        jit_compile: XLA: True, False or "auto".

    Raises:
        UserError: If an option requires a folder, JAX, several devices, XLA or a single process.

    Example:
        >>> check_session(SessionOptions(resume=True))
        Traceback (most recent call last):
        zoo.errors.UserError: resume requires the folder of the run
    """
    if session.resume and session.folder is None:
        raise UserError(f"{option_name('resume')} requires the folder of the run")
    if session.save_every is not None:
        SaveEvery(session.save_every)
        if session.folder is None:
            raise UserError(f"{option_name('save_every')} requires a folder for the run")
    if session.track:
        if session.folder is None:
            raise UserError(f"{option_name('track')} requires a folder for the run")
        check_trackers(session.track)
    check_distribution(session.distribute, jit_compile)
    check_remat(session.remat)
    if session.max_minutes is not None and count_processes() > 1:
        name = option_name("max_minutes")
        raise UserError(f"{name} is not for several processes: end them, and resume")
