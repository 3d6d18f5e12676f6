"""The lengths of padded sequences, for kernels of GPUs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import keras
from keras import ops

_promised: ContextVar[bool] = ContextVar("right_padding", default=False)


@contextmanager
def right_padding(*models: keras.Model) -> Iterator[None]:
    """Promises, within the block, that attention sees sequences with padding on the right only.

    cuDNN's attention takes the length of each sequence instead of a mask. So each layer checks in
    each step whether the mask has padding on the right only, and computes without the kernel if
    not. XLA waits for each check: without them, a training step of GPT-2 took 41 ms on an H100
    instead of 52. Within the block nothing is checked: the kernel treats a position that is masked
    before the end of its sequence like the others. In encoder and decoder blocks, self-attention
    with a causal mask needs no mask of the padding, which changes only its outputs in the padding.
    Other devices keep to the mask, and so does `LSTM`, since models reverse sequences.

    Args:
        *models: Models that are used within the block. What was compiled for them before is
            compiled anew, and again after the block, since programs keep or omit the checks.

    Example:
        >>> model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
        >>> with right_padding(model):
        ...     is_promised()
        True
    """
    token = _promised.set(True)
    _forget_programs(models)
    try:
        yield
    finally:
        _promised.reset(token)
        _forget_programs(models)


def _forget_programs(models: tuple[keras.Model, ...]) -> None:
    if keras.backend.backend() == "jax":  # programs of other backends do not differ
        for model in models:
            model.train_function = model.test_function = model.predict_function = None


def is_promised() -> bool:
    """Whether this is traced within `right_padding()`."""
    return _promised.get()


def lengths_of(mask: Any) -> Any:
    """The lengths (B,), int32, of sequences with a bool mask (B, T): up to the last True.

    Example:
        >>> mask = ops.convert_to_tensor([[True, False, True], [False, False, False]])
        >>> ops.convert_to_numpy(lengths_of(mask)).tolist()
        [3, 0]
    """
    ends = ops.where(mask, ops.arange(1, mask.shape[-1] + 1, dtype="int32"), 0)
    return ops.max(ends, axis=-1, initial=0)


def with_lengths(mask: Any, run: Callable[[Any], Any], otherwise: Callable[[], Any]) -> Any:
    """Calls a kernel that takes the lengths of sequences instead of a mask.

    Args:
        mask: Bool mask (B, T).
        run: Called with the lengths (B,), int32.
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
    lengths = lengths_of(mask)
    at_end = ops.all(ops.equal(lengths, ops.sum(ops.cast(mask, "int32"), axis=-1)))
    return ops.cond(at_end, lambda: run(lengths), otherwise)
