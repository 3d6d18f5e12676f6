"""What the kernels of GPUs have to know of padding: how long sequences are."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from keras import ops

_promised: ContextVar[bool] = ContextVar("right_padding", default=False)


@contextmanager
def right_padding() -> Iterator[None]:
    """Promises, for what is traced within the block, that sequences are padded on the right only.

    The kernels of cuDNN take the length of each sequence instead of a mask. So layers check in each
    step whether masks have padding on the right only, and compute without the kernel if not. XLA
    waits for each check: without them, a training step of GPT-2 took 41 ms on an H100 instead
    of 52. Within the block nothing is checked: the kernels treat a position that is masked before
    the end of its sequence like the others. Other devices keep to the mask.

    Example:
        >>> with right_padding():
        ...     is_promised()
        True
    """
    token = _promised.set(True)
    try:
        yield
    finally:
        _promised.reset(token)


def is_promised() -> bool:
    """Whether this is traced within `right_padding()`."""
    return _promised.get()


def with_lengths(mask: Any, run: Callable[[Any], Any], otherwise: Callable[[], Any]) -> Any:
    """Calls a kernel that takes the lengths of sequences instead of a mask.

    Args:
        mask: Bool mask (B, T).
        run: Called with the lengths (B,), int32: those of the sequences up to the last True.
        otherwise: Computes the same without the kernel, where masks have a False before a True.

    Returns:
        What one of the two returns. The choice is part of the compiled program, since only the
        values of the mask show it.

    Example:
        >>> mask = ops.convert_to_tensor([[True, True, False]])
        >>> int(with_lengths(mask, lambda lengths: lengths[0], lambda: ops.cast(-1, "int32")))
        2
        >>> mask = ops.convert_to_tensor([[False, True, False]])
        >>> int(with_lengths(mask, lambda lengths: lengths[0], lambda: ops.cast(-1, "int32")))
        -1
    """
    ends = ops.where(mask, ops.arange(1, mask.shape[-1] + 1, dtype="int32"), 0)
    lengths = ops.max(ends, axis=-1, initial=0)
    if is_promised():
        return run(lengths)
    at_end = ops.all(ops.equal(lengths, ops.sum(ops.cast(mask, "int32"), axis=-1)))
    return ops.cond(at_end, lambda: run(lengths), otherwise)
