"""The agreement of a quantized file with its model, in terms of the model's decisions.

One token that differs changes all that follow it. Therefore generated tokens are compared as far as
both have written the same: what is counted is the share of steps at which, after the same tokens,
both choose the same one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .axes import BATCH, UNKNOWN, Spec
from .compare import equal_rows, in_deviations, overlap
from .messages import Finding, finding
from .probes import Probe, Tensors, is_text

Specs = Mapping[str, Spec]


class Likeness(NamedTuple):
    """How alike an output is in a file and in its model, over all probes.

    Args:
        error: Of numbers, the root of the mean squared difference, relative to that of the model's
            numbers; of forecasts, in standard deviations of the values that they continue.
        same: Of tokens, classes and texts, how many decisions are the same.
        decisions: How many there are.
    """

    error: float = 0.0
    same: int = 0
    decisions: int = 0

    @property
    def agreement(self) -> float:
        """The share of decisions that are the same."""
        return self.same / self.decisions if self.decisions else 1.0


def agreement_checks(
    signature: str,
    probes: Sequence[Probe],
    results: Sequence[Tensors],
    tolerance: Mapping[str, float],
    inputs: Specs,
    outputs: Specs,
) -> Iterator[Finding]:
    """Checks each output of a quantized file.

    Args:
        signature: The name of the signature.
        probes: Its probes, with the outputs of the model.
        results: The outputs of the file.
        tolerance: The greatest "error" and the least "agreement" that are allowed.
        inputs: What is known of the inputs.
        outputs: What is known of the outputs.
    """
    for name in sorted(probes[0].outputs):
        measured, line = agreement(name, probes, results, inputs, outputs), f"{signature}: {name}"
        if measured.decisions:
            passed = measured.agreement >= tolerance["agreement"]
            detail = f"{measured.agreement:.1%} of {measured.decisions} decisions are the same"
            detail += f", required {tolerance['agreement']:.0%}"
            yield {**finding(line, passed, detail), "agreement": measured.agreement}
        else:
            passed = measured.error <= tolerance["error"]
            yield finding(
                line, passed, f"error {measured.error:.1e}, allowed {tolerance['error']:.1e}"
            )


def agreement(
    name: str,
    probes: Sequence[Probe],
    results: Sequence[Tensors],
    inputs: Specs,
    outputs: Specs,
) -> Likeness:
    """How far an output of both agrees.

    Args:
        name: The name of the output.
        probes: Inputs, with the outputs of the model.
        results: The outputs of the file.
        inputs: What is known of the inputs.
        outputs: What is known of the outputs.
    """
    spec, first = outputs.get(name, UNKNOWN), probes[0].outputs[name]
    pairs = list(zip(probes, results, strict=True))
    if spec.unit:
        return _of_forecasts(name, spec.unit, pairs)
    if first.dtype.kind in "fc":
        return _of_numbers(name, pairs, outputs)
    if is_text(first):
        written = [(_words(p.outputs[name]), _words(result[name])) for p, result in pairs]
        return _total(_steps(*pair) for pair in written)
    if _is_written(spec):
        pad = spec.padding
        written = [(_ids(p.outputs[name], pad), _ids(result[name], pad)) for p, result in pairs]
        return _total(_steps(*pair) for pair in written)
    return _total(
        _equal_elements(
            _of_same_text(name, probe, result, outputs), _is_filled(probe.inputs, inputs, spec)
        )
        for probe, result in pairs
    )


def _is_written(spec: Spec) -> bool:
    """Whether an output is of generated ids (B, L); those of each beam have one axis more."""
    return spec.axes is not None and len(spec.axes) == 2 and spec.axes[1] is None


def _total(counts: Iterator[tuple[int, int]]) -> Likeness:
    same, decisions = np.sum(list(counts), axis=0)
    return Likeness(0.0, int(same), int(decisions))


def _of_same_text(
    name: str, probe: Probe, result: Tensors, outputs: Specs
) -> tuple[np.ndarray, np.ndarray] | None:
    """An output of both, only of rows for which both wrote the same, where they write.

    What belongs to another text cannot be compared. None if the shapes differ otherwise.
    """
    pair = overlap(probe.outputs[name], result[name])
    texts, specs = {}, {}
    for key, x in probe.outputs.items():
        spec = outputs.get(key, UNKNOWN)
        if is_text(x) or (x.dtype.kind in "iu" and _is_written(spec)):
            texts[key], specs[key] = x, Spec(None, spec.padding)
    rows = equal_rows(texts, result, specs)
    if pair is None or rows is None or pair[0].shape[:1] != rows.shape:
        return pair
    return pair[0][rows], pair[1][rows]


def _of_numbers(name: str, pairs: Sequence[tuple[Probe, Tensors]], outputs: Specs) -> Likeness:
    off = total = 0.0
    for probe, result in pairs:
        pair = _of_same_text(name, probe, result, outputs)
        if pair is None:
            return Likeness(float("inf"))
        expected, actual = (array.astype("float64") for array in pair)
        finite = np.isfinite(expected)
        if not np.array_equal(finite, np.isfinite(actual)):
            return Likeness(float("inf"))
        off += float(((actual - expected)[finite] ** 2).sum())
        total += float((expected[finite] ** 2).sum())
    return Likeness(float(np.sqrt(off / total)) if total else float(off > 0))


def _of_forecasts(name: str, unit: str, pairs: Sequence[tuple[Probe, Tensors]]) -> Likeness:
    off = [
        in_deviations(probe.outputs[name], result[name], probe.inputs[unit]).ravel()
        for probe, result in pairs
    ]
    return Likeness(float(np.sqrt(np.mean(np.concatenate(off) ** 2))))


def _steps(expected: list[list], actual: list[list]) -> tuple[int, int]:
    """Steps at which both do the same, and all steps up to the first that differs."""
    same = decisions = 0
    for one, other in zip(expected, actual, strict=True):
        pairs = list(zip(one, other, strict=False))
        first = next((index for index, (a, b) in enumerate(pairs) if a != b), len(pairs))
        same += first
        decisions += first + (len(one) != len(other) or first < len(pairs))
    return same, decisions


def _words(texts: np.ndarray) -> list[list]:
    return [text.split() for text in texts.ravel()]


def _ids(array: np.ndarray, padding: object) -> list[list]:
    """The ids of each row, without the padding behind them."""
    rows = array.tolist()
    for row in rows:
        while row and row[-1] == padding:
            row.pop()
    return rows


def _equal_elements(
    pair: tuple[np.ndarray, np.ndarray] | None, filled: np.ndarray | None
) -> tuple[int, int]:
    """The number of elements that are equal, and of all but those of padding."""
    if pair is None:
        return 0, 1
    same = pair[0] == pair[1]
    if filled is not None:  # of a file of one shape, it has padding beyond what the model gave
        filled = filled[tuple(map(slice, same.shape[: filled.ndim]))]
    if filled is not None and filled.shape == same.shape[: filled.ndim]:
        same = same[filled]
    return int(same.sum()), same.size


def _is_filled(given: Tensors, inputs: Specs, spec: Spec) -> np.ndarray | None:
    """Where the input that an output follows is no padding; None where it follows none."""
    for name, each in inputs.items():
        axes = tuple(each.axes or ())
        follows = len(axes) > 1 and axes == tuple(spec.axes or ())[: len(axes)]
        if follows and (axes[0] == BATCH or isinstance(axes[0], int)) and each.padding is not None:
            return given[name] != each.padding
    return None
