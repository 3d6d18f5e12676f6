"""The run of a cell, or of a stack of cells, over a sequence."""

import functools
from typing import Any, NamedTuple

import keras
from keras import ops, tree

from keras_attn.functional.time_loop import time_loop
from keras_attn.functional.unrolled_loop import unrolled_loop


class Run(NamedTuple):
    """What holds for every cell of a stack: the mask (T, B, 1) or None, and how to loop."""

    mask: Any
    training: bool
    truncate: int | None
    unroll: bool


class Result(NamedTuple):
    """The last output (B, U), all outputs (T, B, U) if asked for, the last states as a flat list,
    and the attention weights [(T, B, S)] or [(T, B, H S)], if asked for."""

    output: Any
    outputs: Any
    states: list
    maps: list


def state_sizes(cell: Any) -> list:
    """Returns the width of each state of a cell, nested as the cell nests its states."""
    sizes = cell.state_size
    return list(sizes) if isinstance(sizes, (list, tuple)) else [sizes]


def output_size(cell: Any) -> int:
    """Returns the width of a cell's output."""
    return getattr(cell, "output_size", None) or tree.flatten(cell.state_size)[0]


def run_cell(cell: Any, x: Any, states: list, run: Run, sequences: bool, **memory: Any) -> Result:
    """Runs a cell over a time-major sequence.

    A stack of cells runs one cell after the other: each runs over all outputs of the cell below,
    which is the same as all cells in one loop, and computes each cell in its fastest way.

    Args:
        cell: A cell, or `keras.layers.StackedRNNCells`.
        x: Sequence (T, B, D).
        states: Initial states (B, ·), as a flat list.
        run: Mask and loop.
        sequences: Whether to return all outputs.
        **memory: `constants` of an attention cell, and whether to return its `scores`.
    """
    if not isinstance(cell, keras.layers.StackedRNNCells):
        return _run_one(cell, x, states, run, sequences, **memory)
    last_states = []
    for inner in cell.cells:
        count = len(tree.flatten(state_sizes(inner)))
        wanted = sequences or inner is not cell.cells[-1]
        result = run_cell(inner, x, states[:count], run, wanted)
        x, states = result.outputs, states[count:]
        last_states += result.states
    return result._replace(states=last_states)


def _run_one(cell, x, states, run, sequences, constants=None, scores=False) -> Result:
    if hasattr(cell, "kernel_suits") and cell.kernel_suits(x, run):
        return _run_in_kernel(cell, x, states, run, sequences)
    return _run_in_loop(cell, x, states, run, sequences, constants, scores)


def _run_in_kernel(cell, x, states, run, sequences) -> Result:
    def otherwise(x):
        # As at inference: x is dropped already, and JAX has no gradients by hand within a branch.
        result = _run_in_loop(cell, x, states, run._replace(training=False), sequences=True)
        return result.output, result.outputs, result.states

    output, outputs, states = cell.in_kernel(x, states, run, otherwise)
    return Result(output, outputs if sequences else None, states, [])


def _run_in_loop(cell, x, states, run, sequences, constants=None, scores=False) -> Result:
    is_own = hasattr(cell, "project_inputs")
    # A list with one sequence, or with one sequence per gate of the cell.
    inputs = cell.project_inputs(x, training=run.training) if is_own else [x]
    unroll = run.unroll and inputs[0].shape[0]
    # On PyTorch, Keras 3.15 supports custom gradients for functions of one output only.
    by_hand = getattr(cell, "by_hand", False) and keras.backend.backend() != "torch"
    if run.training and by_hand and not unroll:
        return _run_by_hand(cell, inputs, states, run)
    if is_own:
        step = _step_of_ours(cell, run, ops.shape(x)[1], constants, scores)
        return _run_steps(cell, step, unroll, inputs, states, run, sequences, scores, constants)
    with_masks = hasattr(cell, "get_dropout_mask")
    if with_masks:  # Keras draws them once per sequence, and outside the loop
        cell.get_dropout_mask(x[0])
        cell.get_recurrent_dropout_mask(states[0])
    result = _run_steps(cell, _step_of_keras(cell, run), unroll, inputs, states, run, sequences)
    if with_masks:
        cell.reset_dropout_mask()
        cell.reset_recurrent_dropout_mask()
    return result


def _run_by_hand(cell, inputs, states, run) -> Result:
    outputs, states = cell.sequence(inputs, states, run.mask, run.truncate)
    output = states[0]
    if run.mask is not None:
        # Before the first valid step there is a state, but no output yet.
        started = ops.cumsum(ops.cast(run.mask, "int32"), axis=0) > 0
        outputs = ops.where(started, outputs, 0)
        output = ops.where(ops.any(run.mask, axis=0), output, 0)
    return Result(output, outputs, states, [])


def _step_of_ours(cell, run, rows, constants, scores):
    """Returns the function that runs one of our cells on one step's inputs and the states."""
    recur = cell.recur_with_scores if scores else cell.recur
    # Read, split and drawn once, before the loop.
    weights = cell.loop_weights(rows if run.training else None)
    return lambda inputs, states: recur(inputs, states, weights, constants, run.training)


def _step_of_keras(cell, run):
    options = {"training": run.training} if isinstance(cell, keras.layers.Layer) else {}
    sizes = state_sizes(cell)

    def step(inputs, states):
        output, states = cell(inputs[0], tree.pack_sequence_as(sizes, states), **options)
        return output, tree.flatten(states)

    return step


def _run_steps(
    cell, run_step, unroll, inputs, states, run, sequences, scores=False, constants=None
) -> Result:
    def step(inputs, carried):
        *states, output_before = carried
        given = inputs if run.mask is None else inputs[:-1]
        output, new_states, *maps = run_step(given, states)
        if run.mask is not None:
            keep = inputs[-1]
            pairs = zip(new_states, states, strict=True)
            new_states = [ops.where(keep, new, old) for new, old in pairs]
            output = ops.where(keep, output, output_before)
            maps = [ops.where(keep, m, 0) for m in maps]
        outputs = [output] if sequences else []
        return outputs + maps, [*new_states, output]

    width = output_size(cell)
    no_output = ops.zeros((ops.shape(inputs[0])[1], width), dtype=states[0].dtype)
    widths = [width] if sequences else []
    widths += [cell.weights_width(constants)] if scores else []
    inputs = inputs if run.mask is None else [*inputs, run.mask]
    loop = functools.partial(time_loop, training=run.training)
    loop = functools.partial(unrolled_loop if unroll else loop, truncate=run.truncate)
    stacked, (*states, output) = loop(step, inputs, [*states, no_output], widths)
    outputs = stacked.pop(0) if sequences else None
    return Result(output, outputs, states, stacked)
