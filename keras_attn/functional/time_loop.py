"""The loop over time of the recurrent layers, on every backend.

All sequences here are time-major, (T, B, ·), so that each step reads and writes one contiguous
block.

`time_loop` is differentiable, and converts to ONNX and to built-in LiteRT operators. `saving_loop`
is for layers with a hand-written gradient: it has neither property, but TensorFlow does not copy a
whole sequence to write one step of it. `unrolled_loop` unrolls the steps instead of looping.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import keras
from keras import ops

from keras_attn.functional.saving_loop import saving_loop
from keras_attn.functional.sequence_steps import (
    Step,
    Tensors,
    read_step,
    scatter_steps,
    write_steps,
)
from keras_attn.functional.truncation import truncated

# TensorFlow copies a whole buffer to write one step of it (unless XLA compiles the loop), so steps
# are written to a small buffer first, and then a chunk at a time to the full buffer. This is the
# size of a chunk, in training; see `chunk_size` for that at inference.
CHUNK = 16

_updates_slices: ContextVar[bool] = ContextVar("slice_updates", default=False)


@contextmanager
def slice_updates() -> Iterator[None]:
    """Within the block, loops that are traced for inference write steps by slice updates.

    LiteRT computes these in place, in half the time of the scatter updates that are written
    otherwise; Keras's own ONNX export does not have them.

    Example:
        >>> step = lambda inputs, states: (inputs, states)
        >>> with slice_updates():
        ...     (total,), _ = time_loop(step, [ops.ones((2, 1, 1))], [ops.zeros((1, 1))], [1])
        >>> total.shape[0]
        2
    """
    token = _updates_slices.set(True)
    try:
        yield
    finally:
        _updates_slices.reset(token)


def time_loop(
    step: Step,
    inputs: Tensors,
    states: Tensors,
    widths: Tensors | tuple = (),
    truncate: int | None = None,
    training: bool = True,
) -> tuple[Tensors, Tensors]:
    """Runs a step function at every time step and stacks its outputs.

    Source: Elman 1990; any recurrence has this form.
    Formula: `outputs[t], states = step([x[t] for x in inputs], states)`, t = 0 … T-1

    Args:
        step: Function of the list of inputs (B, ·) of one time step and the list of states. It
            returns the list of outputs (B, width) and the list of new states, with the shapes and
            dtypes of the old ones.
        inputs: Sequences (T, B, ·).
        states: Initial states, (B, ·) each.
        widths: Width of each output, in order.
        truncate: Number of steps after which the gradient stops, or None to never stop it.
        training: Whether the loop is to be fast in training, or to convert to ONNX; within
            `slice_updates`, it is the same loop.

    Returns:
        The stacked outputs, (T, B, width) each, and the final states.

    Example:
        >>> def step(inputs, states):
        ...     total = states[0] + inputs[0]
        ...     return [total], [total]
        >>> x = ops.reshape(ops.arange(4.0), (4, 1, 1))
        >>> (totals,), (last,) = time_loop(step, [x], [ops.zeros((1, 1))], [1])
        >>> ops.convert_to_numpy(totals)[:, 0, 0].tolist(), float(last[0, 0])
        ([0.0, 1.0, 3.0, 6.0], 6.0)
    """
    if keras.backend.backend() != "tensorflow":
        # On the other backends, scan is differentiable and the while loop is not.
        return saving_loop(step, inputs, states, widths, truncate=truncate)

    slices = training or _updates_slices.get()
    write, more = (write_steps, 0) if slices else (scatter_steps, 1)
    length, batch = ops.shape(inputs[0])[0], ops.shape(inputs[0])[1]
    size = CHUNK if training else chunk_size(length)
    chunks = (length + size - 1) // size
    ahead = chunks * size - length  # rows of the first chunk that stay empty

    def zeros(length):
        shapes = [(length, batch + more, width) for width in widths]
        return tuple(ops.zeros(shape, dtype=states[0].dtype) for shape in shapes)

    def run_chunk(k, inputs, states, stacked):
        def body(t, inputs, states, chunk):
            slices, inputs = zip(*(read_step(x, t) for x in inputs), strict=True)
            states = truncated(list(states), t, truncate)
            outputs, states = step(list(slices), states)
            steps = [ops.expand_dims(output, 0) for output in outputs]
            steps = [ops.pad(x, ((0, 0), (0, more), (0, 0))) for x in steps] if more else steps
            return t + 1, tuple(inputs), tuple(states), write(chunk, steps, t - end + size)

        end = (k + 1) * size - ahead
        _, inputs, states, chunk = ops.while_loop(
            lambda t, *_: t < end,
            body,
            (ops.maximum(end - size, 0), inputs, states, zeros(size)),
            maximum_iterations=size,  # XLA sizes the backward pass's buffers by it
        )
        return k + 1, inputs, states, write(stacked, chunk, k * size)

    _, _, states, stacked = ops.while_loop(
        lambda k, *_: k < chunks,
        run_chunk,
        (0, tuple(inputs), tuple(states), zeros(chunks * size)),
        maximum_iterations=chunks,
    )
    return [buffer[ahead:, :batch] if more else buffer[ahead:] for buffer in stacked], list(states)


def chunk_size(length: Any) -> Any:
    """Returns the number of steps of a chunk at inference: the square root of T, or more.

    Writing a chunk copies the whole sequence, and writing a step copies a chunk, so that a chunk of
    this size copies T^1.5 steps instead of T^2.

    Source: none; it minimizes `T c + T^2 / c`.
    Formula: `c = max(16, floor(sqrt(T)))`

    Args:
        length: Number T of steps, an integer or a scalar tensor.

    Example:
        >>> chunk_size(100), chunk_size(10_000)
        (16, 100)
    """
    if isinstance(length, int):
        return max(CHUNK, math.isqrt(length))
    return ops.maximum(CHUNK, ops.cast(ops.sqrt(ops.cast(length, "float32")), "int32"))
