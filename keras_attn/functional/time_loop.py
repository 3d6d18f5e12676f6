"""Loops over time for every recurrent layer, on every backend.

All sequences here are time-major, (T, B, ·), so that each step reads and writes one contiguous
block.

`time_loop` is differentiable, and converts to ONNX and to built-in LiteRT operators. `saving_loop`
is for layers with a hand-written gradient: it has neither property, but TensorFlow does not copy a
whole sequence to write one step of it. `unrolled_loop` unrolls the steps instead of looping.

With `truncate=K`, no gradient passes from time t to time t - 1 where t is a multiple of K. Each
segment of K steps is then trained on its own, starting from the state that the previous segment
left (Williams & Peng 1990).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import keras
from keras import ops

# TensorFlow copies a whole buffer to write one step of it (unless XLA compiles the loop), so steps
# are written to a small buffer first, and then a chunk at a time to the full buffer.
CHUNK = 16

_updates_slices: ContextVar[bool] = ContextVar("slice_updates", default=False)

Tensors = list[Any]
Step = Callable[[Tensors, Tensors], tuple[Tensors, Tensors]]


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
    write, more = (_write, 0) if slices else (_scatter, 1)
    length, batch = ops.shape(inputs[0])[0], ops.shape(inputs[0])[1]
    chunks = (length + CHUNK - 1) // CHUNK
    ahead = chunks * CHUNK - length  # rows of the first chunk that stay empty

    def zeros(length):
        shapes = [(length, batch + more, width) for width in widths]
        return tuple(ops.zeros(shape, dtype=states[0].dtype) for shape in shapes)

    def run_chunk(k, inputs, states, stacked):
        def body(t, inputs, states, chunk):
            slices, inputs = zip(*(_read(x, t) for x in inputs), strict=True)
            states = _without_gradient(list(states), t, truncate)
            outputs, states = step(list(slices), states)
            steps = [ops.expand_dims(output, 0) for output in outputs]
            steps = [ops.pad(x, ((0, 0), (0, more), (0, 0))) for x in steps] if more else steps
            return t + 1, tuple(inputs), tuple(states), write(chunk, steps, t - end + CHUNK)

        end = (k + 1) * CHUNK - ahead
        _, inputs, states, chunk = ops.while_loop(
            lambda t, *_: t < end,
            body,
            (ops.maximum(end - CHUNK, 0), inputs, states, zeros(CHUNK)),
            maximum_iterations=CHUNK,  # XLA sizes the backward pass's buffers by it
        )
        return k + 1, inputs, states, write(stacked, chunk, k * CHUNK)

    _, _, states, stacked = ops.while_loop(
        lambda k, *_: k < chunks,
        run_chunk,
        (0, tuple(inputs), tuple(states), zeros(chunks * CHUNK)),
        maximum_iterations=chunks,
    )
    return [buffer[ahead:, :batch] if more else buffer[ahead:] for buffer in stacked], list(states)


def saving_loop(
    step: Step,
    inputs: Tensors,
    states: Tensors,
    widths: Tensors | tuple = (),
    reverse: bool = False,
    truncate: int | None = None,
) -> tuple[Tensors, Tensors]:
    """`time_loop` for use inside `ops.custom_gradient`; can also run in reverse.

    Args:
        step: See `time_loop`.
        inputs: See `time_loop`.
        states: See `time_loop`.
        widths: See `time_loop`.
        reverse: Whether to run t = T-1 … 0. Outputs keep their own time index.
        truncate: See `time_loop`. With `reverse`, the states are gradients and are set to zero
            where the gradient stops.

    Returns:
        The stacked outputs, (T, B, width) each, and the final states.

    Example:
        >>> step = lambda inputs, states: ([states[0]], [states[0] + inputs[0]])
        >>> x = ops.reshape(ops.arange(4.0), (4, 1, 1))
        >>> (after,), _ = saving_loop(step, [x], [ops.zeros((1, 1))], [1], reverse=True)
        >>> ops.convert_to_numpy(after)[:, 0, 0].tolist()
        [6.0, 5.0, 3.0, 0.0]
    """
    count, batch = len(states), ops.shape(inputs[0])[1]
    if inputs[0].shape[0] == 0:  # JAX would trace a step although there is none to read
        return [ops.zeros((0, batch, width), dtype=states[0].dtype) for width in widths], states
    # On TensorFlow, Keras's scan requires the carry and the outputs to have the same structure.
    unused = [ops.zeros((batch, width), dtype=states[0].dtype) for width in widths]

    def body(carry, t):
        slices, states = [x[t] for x in inputs], list(carry[:count])
        if not reverse:
            states = _without_gradient(states, t, truncate)
        outputs, new_states = step(slices, states)
        if reverse and truncate:
            new_states = [ops.where(_stops(t, truncate), 0, d) for d in new_states]
        both = (*new_states, *outputs)
        return both, both

    length = steps = ops.shape(inputs[0])[0]
    is_open = inputs[0].shape[0] is None
    if is_open:
        # TensorFlow cannot stack the outputs of no steps: there is at least one, left out below.
        steps = ops.maximum(length, 1)
        inputs = [ops.pad(x, ((0, steps - length), (0, 0), (0, 0))) for x in inputs]
    # Scans over time indices: on TensorFlow, Keras's scan fails for two sequences of unknown
    # length.
    last, stacked = ops.scan(body, (*states, *unused), ops.arange(steps), reverse=reverse)
    last, stacked = list(last[:count]), list(stacked[count:])
    if is_open:
        last = [ops.where(length > 0, *pair) for pair in zip(last, states, strict=True)]
        stacked = [x[:length] for x in stacked]
    return stacked, last


def unrolled_loop(
    step: Step,
    inputs: Tensors,
    states: Tensors,
    widths: Tensors | tuple = (),
    truncate: int | None = None,
) -> tuple[Tensors, Tensors]:
    """`time_loop` without a loop, for sequences of a known length of at least 1.

    Args:
        step: See `time_loop`.
        inputs: See `time_loop`.
        states: See `time_loop`.
        widths: Ignored; accepted so that the loops are interchangeable.
        truncate: See `time_loop`.

    Returns:
        The stacked outputs, (T, B, width) each, and the final states.

    Example:
        >>> step = lambda inputs, states: ([states[0]], [states[0] + inputs[0]])
        >>> x = ops.reshape(ops.arange(4.0), (4, 1, 1))
        >>> (before,), (last,) = unrolled_loop(step, [x], [ops.zeros((1, 1))])
        >>> ops.convert_to_numpy(before)[:, 0, 0].tolist(), float(last[0, 0])
        ([0.0, 0.0, 1.0, 3.0], 6.0)
    """
    given_out = []
    for t, slices in enumerate(zip(*(ops.unstack(x, axis=0) for x in inputs), strict=True)):
        if truncate and t and t % truncate == 0:
            states = [ops.stop_gradient(state) for state in states]
        outputs, states = step(list(slices), list(states))
        given_out.append(outputs)
    return [ops.stack(steps, axis=0) for steps in zip(*given_out, strict=True)], list(states)


def _stops(t: Any, truncate: int) -> Any:
    """Whether the gradient stops between time t and the previous one."""
    return ops.logical_and(t > 0, ops.equal(t % truncate, 0))


def _without_gradient(states: Tensors, t: Any, truncate: int | None) -> Tensors:
    """Returns the states before time t, without gradient if it stops there."""
    if truncate is None:
        return states
    stops = _stops(t, truncate)
    return [ops.where(stops, ops.stop_gradient(state), state) for state in states]


def _read(sequence: Any, t: Any) -> tuple[Any, Any]:
    """Returns `sequence[t]`, and the sequence itself for the next read.

    Each step is read once, which allows for a cheap custom gradient: TensorFlow's sums over the
    whole sequence at every step.
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


def _write(buffers: Any, values: Any, start: Any) -> tuple:
    """Writes `values` into the all-zero part of the buffers that starts at time `start`."""

    @ops.custom_gradient
    def write(buffer, value):
        def gradient(upstream):
            return upstream, ops.slice(upstream, (start, 0, 0), ops.shape(value))

        return ops.slice_update(buffer, (start, 0, 0), value), gradient

    return tuple(write(*pair) for pair in zip(buffers, values, strict=True))


def _scatter(buffers: Any, values: Any, start: Any) -> tuple:
    """Writes like `_write`, by an operation that Keras's ONNX export has; its gradient is slow.

    The buffers have a row more than the batch, since TensorFlow cannot scatter into empty ones.
    """
    steps = ops.expand_dims(ops.arange(values[0].shape[0]) + start, -1) if values else None
    pairs = zip(buffers, values, strict=True)
    return tuple(ops.scatter_update(b, steps, ops.cast(value, b.dtype)) for b, value in pairs)
