"""A loop over time for layers with a hand-written gradient."""

from keras import ops

from keras_attn.functional.sequence_steps import Step, Tensors
from keras_attn.functional.truncation import stops_before, truncated


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
            states = truncated(states, t, truncate)
        outputs, new_states = step(slices, states)
        if reverse and truncate:
            new_states = [ops.where(stops_before(t, truncate), 0, d) for d in new_states]
        # A cell may compute in another dtype than the layer, which JAX's scan would refuse.
        both = zip((*new_states, *outputs), carry, strict=True)
        carry = tuple(ops.cast(new, old.dtype) for new, old in both)
        return carry, carry

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
