"""Single steps of time-major sequences, (T, B, ·): their function, and reading and writing them."""

from collections.abc import Callable
from typing import Any

import keras
from keras import ops

Tensors = list[Any]
# From the inputs and the states of a step to its outputs and the new states.
Step = Callable[[Tensors, Tensors], tuple[Tensors, Tensors]]


def read_step(sequence: Any, t: Any) -> tuple[Any, Any]:
    """Returns one step, and the sequence itself for the next read.

    Each step is read once, which allows for a cheap custom gradient: TensorFlow's sums over the
    whole sequence at every step.

    Source: Elman 1990; any recurrence reads its inputs so.
    Formula: `y = x[t]`

    Args:
        sequence: Tensor (T, B, ·).
        t: Time, an integer or a scalar tensor.

    Returns:
        The step (B, ·) and the sequence.

    Example:
        >>> step, _ = read_step(ops.reshape(ops.arange(3.0), (3, 1, 1)), 2)
        >>> ops.convert_to_numpy(step).tolist()
        [[2.0]]
    """

    @ops.custom_gradient
    def read(sequence):
        def gradient(d_slice, d_sequence):
            return ops.slice_update(d_sequence, (t, 0, 0), ops.expand_dims(d_slice, 0))

        return (sequence[t], sequence), gradient

    # Not `ops.take`, which spends six operations on handling negative indices.
    if not keras.backend.is_float_dtype(sequence.dtype):
        return sequence[t], sequence
    return read(sequence)


def write_steps(buffers: Any, values: Any, start: Any) -> tuple:
    """Writes steps into the part of buffers that starts at a time, and is zero so far.

    Source: Elman 1990; any recurrence writes its outputs so.
    Formula: `buffer[start : start + K] = value`

    Args:
        buffers: Tensors (T, B, ·).
        values: Tensors (K, B, ·).
        start: Time of the first step, an integer or a scalar tensor.

    Returns:
        The new buffers.

    Example:
        >>> (buffer,) = write_steps([ops.zeros((3, 1, 1))], [ops.ones((2, 1, 1))], 1)
        >>> ops.convert_to_numpy(buffer)[:, 0, 0].tolist()
        [0.0, 1.0, 1.0]
    """

    @ops.custom_gradient
    def write(buffer, value):
        def gradient(upstream):
            return upstream, ops.slice(upstream, (start, 0, 0), ops.shape(value))

        return ops.slice_update(buffer, (start, 0, 0), value), gradient

    return tuple(write(*pair) for pair in zip(buffers, values, strict=True))


def scatter_steps(buffers: Any, values: Any, start: Any) -> tuple:
    """`write_steps` by an operation that Keras's ONNX export has, and with a slow gradient.

    The buffers have a row more than the batch, since TensorFlow cannot scatter into empty ones.

    Source: Elman 1990; any recurrence writes its outputs so.
    Formula: `buffer[start : start + K] = value`

    Args:
        buffers: Tensors (T, B + 1, ·).
        values: Tensors (K, B + 1, ·).
        start: Time of the first step, an integer or a scalar tensor.

    Returns:
        The new buffers.

    Example:
        >>> (buffer,) = scatter_steps([ops.zeros((3, 1, 1))], [ops.ones((2, 1, 1))], 1)
        >>> ops.convert_to_numpy(buffer)[:, 0, 0].tolist()
        [0.0, 1.0, 1.0]
    """
    steps = ops.expand_dims(ops.arange(ops.shape(values[0])[0]) + start, -1) if values else None
    pairs = zip(buffers, values, strict=True)
    return tuple(ops.scatter_update(b, steps, ops.cast(value, b.dtype)) for b, value in pairs)
