"""Steps over time without a loop."""

from keras import ops

from keras_attn.functional.sequence_steps import Step, Tensors


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
