"""Invariances: a row alone gives what it gives in its batch, and padding changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from .axes import BATCH, UNKNOWN, Spec, cut, pad, paddable, sizes_of
from .compare import Distance, distance, overlap
from .probes import Probe, Tensors

Run = Callable[[Tensors], Tensors]
Specs = Mapping[str, Spec]
NAMES = ("batch", "padding")
EXTRA = 3  # positions of padding added
APART = Distance(float("inf"), 0.0)


def measure(
    name: str, run: Run, probe: Probe, inputs: Specs, outputs: Specs | None = None
) -> Distance | None:
    """How far a function is from an invariance.

    Args:
        name: "batch" or "padding".
        run: The function.
        probe: Inputs to call it with.
        inputs: What is known of its inputs.
        outputs: What is known of its outputs; those that are left out are compared as far as both
            results go.

    Returns:
        The greatest distance of any output; None if the invariance does not apply to these inputs:
        a single row, or no axis that may be padded.
    """
    measured = _batch if name == "batch" else _padding
    return measured(run, probe, inputs, outputs or {})


def _batch(run: Run, probe: Probe, inputs: Specs, outputs: Specs) -> Distance | None:
    batched = [name for name, spec in inputs.items() if spec.axes and spec.axes[0] == BATCH]
    sizes = {len(probe.inputs[name]) for name in batched}
    if len(sizes) != 1 or sizes == {1}:
        return None
    (size,) = sizes
    whole, worst = run(probe.inputs), Distance()
    for row in range(size):
        part = slice(row, row + 1)
        alone = run({name: x[part] if name in batched else x for name, x in probe.inputs.items()})
        for name, array in whole.items():
            spec = outputs.get(name, UNKNOWN)
            has_rows = array.shape[:1] == (size,) if spec.axes is None else spec.axes[0] == BATCH
            if has_rows:
                worst = worst.worse(_as_far_as_both_go(array[part], alone[name], spec))
    return worst


def _padding(run: Run, probe: Probe, inputs: Specs, outputs: Specs) -> Distance | None:
    more = dict.fromkeys(paddable(inputs.values()), EXTRA)
    padded = {name: pad(array, inputs[name], more) for name, array in probe.inputs.items()}
    if not more:
        return None
    axes = {name: spec.axes for name, spec in inputs.items() if spec.axes is not None}
    sizes = sizes_of(axes, {name: probe.inputs[name].shape for name in axes})
    narrow, wide, worst = run(probe.inputs), run(padded), Distance()
    for name, array in narrow.items():
        spec = outputs.get(name, UNKNOWN)
        if spec.axes is None:
            worst = worst.worse(_as_far_as_both_go(array, wide[name], spec))
            continue
        back = cut(wide[name], spec.axes, sizes)
        worst = worst.worse(distance(array, back) if back.shape == array.shape else APART)
    return worst


def _as_far_as_both_go(expected: np.ndarray, actual: np.ndarray, spec: Spec) -> Distance:
    """The distance of results that may end at different positions.

    A row that is decoded alone stops earlier than in a batch, where it is padded to the longest
    row.
    """
    pair = overlap(expected, actual, spec.padding)
    return APART if pair is None else distance(*pair)
