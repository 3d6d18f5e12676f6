"""Invariances: a row alone equals the row in its batch, and padding further changes nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .compare import Distance, distance, overlap
from .probes import Probe, Tensors

Run = Callable[[Tensors], Tensors]
Specs = dict[str, dict]
NAMES = ("batch", "padding")
EXTRA = 3  # columns of padding added


def measure(name: str, run: Run, probe: Probe, inputs: Specs, pad: int = 0) -> Distance | None:
    """How far `run` is from the invariance `name` on a probe; None where it does not apply."""
    return _batch(run, probe, inputs) if name == "batch" else _padding(run, probe, inputs, pad)


def _batch(run: Run, probe: Probe, inputs: Specs) -> Distance | None:
    batched = [name for name, spec in inputs.items() if spec["shape"][:1] == [None]]
    sizes = {len(probe.inputs[name]) for name in batched}
    if len(sizes) != 1 or sizes == {1}:
        return None
    (size,) = sizes
    whole, worst = run(probe.inputs), Distance()
    for row in range(size):
        alone = run(
            {
                name: array[row : row + 1] if name in batched else array
                for name, array in probe.inputs.items()
            }
        )
        for name, array in whole.items():
            if array.shape[:1] == (size,):
                worst = worst.worse(_apart(array[row : row + 1], alone[name]))
    return worst


def _padding(run: Run, probe: Probe, inputs: Specs, pad: int) -> Distance | None:
    padded = {}
    for name, array in probe.inputs.items():
        if array.dtype.kind in "iub" and inputs[name]["shape"][1:2] == [None]:
            more = [(0, 0), (0, EXTRA)] + [(0, 0)] * (array.ndim - 2)
            # False is the mask of a padded place.
            fill = False if array.dtype.kind == "b" else pad
            padded[name] = np.pad(array, more, constant_values=fill)
    if not padded:
        return None
    narrow, wide, worst = run(probe.inputs), run({**probe.inputs, **padded}), Distance()
    for name, array in narrow.items():
        worst = worst.worse(_apart(array, wide[name]))
    return worst


def _apart(expected: np.ndarray, actual: np.ndarray) -> Distance:
    pair = overlap(expected, actual)
    return Distance(float("inf"), 0.0) if pair is None else distance(*pair)
