"""Several processes, on one host or many, that train one model together on JAX."""

import ctypes
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import keras

from zoo.errors import UserError, reason_of
from zoo.training.launchers import process_rank

HEARTBEAT = 20  # seconds after which a silent process counts as lost
CONNECTIONS = ("Gloo", "NCCL", "coordination service")  # in the messages of JAX
LOST = (
    "another process of this training was lost, so that it cannot go on: start all processes "
    "again, with --resume"
)


def join_hosts() -> int:
    """Joins the other processes of a training, if environment variables tell of several.

    JAX can do so only before it computes. `keras-attn train --distribute` calls it; in Python, it
    must be the first call, before a task is made:

        zoo.join_hosts()
        task = zoo.TextClassifier()
        ...
        task.fit("train.tsv", distribute="data", folder="runs/reviews")

    If a process is lost later, the others end within a minute, with a message: after 20 seconds
    without a sign of life, and the time that JAX takes to tell them.

    Returns:
        The number of processes.

    Raises:
        UserError: If the variables are wrong, the others cannot be reached, or JAX has already
            computed.

    Example:
        >>> join_hosts()
        1
    """
    if keras.backend.backend() != "jax":
        return 1
    import jax

    if jax.distributed.is_initialized():
        return jax.process_count()
    rank = process_rank(os.environ)
    if rank is None or rank.count == 1:
        return 1
    try:
        jax.distributed.initialize(
            rank.address,
            rank.count,
            rank.index,
            cluster_detection_method="deactivate" if rank.address else "slurm",
            heartbeat_timeout_seconds=HEARTBEAT,
        )
        jax.devices()  # connects the processes
    except RuntimeError as error:
        if "must be called before" in str(error):
            raise UserError(
                f"{rank.launcher} tells of {rank.count} processes, which must be joined before "
                "JAX computes: call zoo.join_hosts() before a task is made"
            ) from error
        raise UserError(
            f"process {rank.index} of {rank.count} cannot reach {rank.address or 'the first'}: "
            f"{reason_of(error)}"
        ) from error
    _LIBC.signal(signal.SIGABRT, ctypes.cast(_END, ctypes.c_void_p))
    global _notice
    _notice = end_at_sigterm()
    return rank.count


def _end(number: int) -> None:
    os.write(2, f"\nerror: {LOST}\n".encode())
    os._exit(1)


# JAX aborts a process when it has lost another one. Python's own handlers would run only once the
# process goes on, which it does not.
_LIBC = ctypes.CDLL(None)
_LIBC.signal.argtypes, _LIBC.signal.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
_END = ctypes.CFUNCTYPE(None, ctypes.c_int)(_end)
_notice: int | None = None  # the handler of SIGTERM by which JAX tells all processes


def end_at_sigterm() -> int | None:
    """Lets SIGTERM end this process at once. Returns the handler that was installed before.

    JAX installs one as soon as processes are joined, which does nothing but tell all of them.
    """
    return _LIBC.signal(signal.SIGTERM, None)  # SIG_DFL


def tell_of_sigterm() -> None:
    """Lets SIGTERM tell all processes to end before the same step; see `all_end_before`."""
    if _notice is not None:
        _LIBC.signal(signal.SIGTERM, _notice)


def all_end_before(step: int) -> bool:
    """Whether one of several processes was told to end, and all of them do so before this step.

    Args:
        step: Number of the step. All processes ask before each.

    Example:
        >>> all_end_before(3)
        False
    """
    if count_processes() == 1:
        return False
    from jax.experimental import multihost_utils

    return bool(multihost_utils.reached_preemption_sync_point(step))


def leave() -> None:
    """Leaves the other processes, when all have come here: none takes another for lost.

    Example:
        >>> leave()
    """
    if count_processes() > 1:
        _jax().distributed.shutdown()


def count_processes() -> int:
    """The number of processes that train together.

    Example:
        >>> count_processes()
        1
    """
    return _jax().process_count() if keras.backend.backend() == "jax" else 1


def writes() -> bool:
    """Whether this process writes files and shows progress: of several, only the first.

    Example:
        >>> writes()
        True
    """
    return keras.backend.backend() != "jax" or _jax().process_index() == 0


def share_rows(*batches: Any) -> bool:
    """Lets each process read only the rows of each batch that its devices compute.

    Args:
        *batches: The `Batches` of a training, or None.

    Returns:
        Whether that is possible: there are several processes with equally many devices, between
        which all batches can be divided. If not, each process reads all rows.

    Example:
        >>> share_rows(None)
        False
    """
    count = count_processes()
    if count == 1:
        return False
    owners = [device.process_index for device in _jax().devices()]
    given = [each for each in batches if each is not None]
    each_has = len(owners) // count
    if owners != [process for process in range(count) for _ in range(each_has)]:
        return False
    if not all(each.divides(len(owners)) for each in given):
        return False
    for each in given:
        each.share = (_jax().process_index(), count)
    return True


def wait_for_all(what: str) -> None:
    """Waits until all processes have come here.

    Args:
        what: A name for the rank.

    Example:
        >>> wait_for_all("the end")
    """
    if count_processes() > 1:
        from jax.experimental import multihost_utils

        multihost_utils.sync_global_devices(what)


@contextmanager
def alone() -> Iterator[None]:
    """Computes on this process alone within a `with` block, also in a distributed training.

    Keras creates variables to look into a weights file, and distributes them, too. That is for all
    processes together, but only one writes.

    Example:
        >>> with alone():
        ...     keras.distribution.distribution()
    """
    before = keras.distribution.distribution()
    keras.distribution.set_distribution(None)
    try:
        yield
    finally:
        keras.distribution.set_distribution(before)


def same_on_all(array: Any) -> Any:
    """The array of the first process.

    Args:
        array: A NumPy array, of the same shape and dtype on all processes.

    Example:
        >>> import numpy as np
        >>> same_on_all(np.arange(3))
        array([0, 1, 2])
    """
    if count_processes() == 1:
        return array
    from jax.experimental import multihost_utils

    return multihost_utils.broadcast_one_to_all(array)


def of_lost_process(error: Exception) -> bool:
    """Whether an error in training is that of a connection to a process that was lost.

    Args:
        error: What was raised.

    Example:
        >>> of_lost_process(ValueError("no such word"))
        False
    """
    return count_processes() > 1 and any(name in str(error) for name in CONNECTIONS)


def _jax() -> Any:
    import jax

    return jax
