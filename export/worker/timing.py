"""The speed of an artifact: of one usual row, of a batch, and of the longest row."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .artifact import Artifact
from .axes import BATCH, Spec, cut, paddable, sizes_of
from .probes import Probe, Tensors, bytes_of, is_text

RUNS = 5
SECONDS = 10.0  # after that no further call is timed
MAIN = "serving_default"


class Row(NamedTuple):
    """A row of a probe alone, without padding.

    Args:
        length: The number of its bytes of text, or of positions of its padded axes.
        inputs: The inputs.
    """

    length: int
    inputs: Tensors


def timing(
    artifact: Artifact, probes: Mapping[str, list[Probe]], specs: Mapping[str, Mapping[str, Spec]]
) -> dict[str, Any]:
    """The latency of calls of `serving_default`, and the tokens generated per second.

    Tokens are counted if a signature has an output `lengths`.

    Args:
        artifact: The artifact.
        probes: The probes of each of its signatures.
        specs: What is known of the inputs of each.

    Returns:
        "signature", "threads", "latency_ms" of the row of median length alone and its "length";
        "batch_latency_ms" of the call with the most rows and their number, "batch_rows";
        "longest_latency_ms" of the longest row alone and its "longest_length"; and
        "tokens_per_second".
    """
    names = sorted(artifact.signatures, key=lambda name: name != MAIN)
    main = names[0]
    calls = probes[main]
    rows = sorted((row for call in calls for row in rows_of(call, specs[main])), key=lambda r: r[0])
    usual, longest = rows[len(rows) // 2], rows[-1]

    def milliseconds(inputs: Tensors) -> float:
        return round(_median(artifact, main, inputs) * 1e3, 3)

    report: dict[str, Any] = {
        "signature": main,
        "threads": os.cpu_count(),
        "latency_ms": milliseconds(usual.inputs),
        "length": usual.length,
    }
    largest = max(calls, key=lambda call: len(rows_of(call, specs[main])))
    if (count := len(rows_of(largest, specs[main]))) > 1:
        report |= {"batch_latency_ms": milliseconds(largest.inputs), "batch_rows": count}
    if longest.length > usual.length:
        report["longest_latency_ms"] = milliseconds(longest.inputs)
        report["longest_length"] = longest.length
    generating = [name for name in names if "lengths" in artifact.signatures[name]["outputs"]]
    if generating:
        report["tokens_per_second"] = _tokens_per_second(artifact, generating[0], probes)
    return report


def rows_of(probe: Probe, specs: Mapping[str, Spec]) -> list[Row]:
    """The rows of a call, each alone and without padding; the call itself if it has no rows.

    Args:
        probe: The call.
        specs: What is known of its inputs.
    """
    batched = [name for name, spec in specs.items() if spec.axes and spec.axes[0] == BATCH]
    sizes = {len(probe.inputs[name]) for name in batched}
    if len(sizes) != 1:
        return [_without_padding(probe.inputs, specs)]
    (count,) = sizes
    parts = (
        {name: x[row : row + 1] if name in batched else x for name, x in probe.inputs.items()}
        for row in range(count)
    )
    return [_without_padding(part, specs) for part in parts]


def _without_padding(inputs: Tensors, specs: Mapping[str, Spec]) -> Row:
    """Inputs up to the last position that is no padding, of each axis that may be padded.

    Axes of one size are cut together, since those of a Keras model may be one axis of two names.
    """
    axes = {name: spec.axes for name, spec in specs.items() if spec.axes is not None}
    sizes = sizes_of(axes, {name: inputs[name].shape for name in axes})
    written = {axis: _written(inputs, specs, axis) for axis in paddable(specs.values())}
    ends = {
        axis: max(end for other, end in written.items() if sizes[other] == sizes[axis])
        for axis in written
    }
    short = {name: cut(x, axes.get(name, ()), ends) for name, x in inputs.items()}
    texts = [x for x in short.values() if is_text(x)]
    return Row(sum(map(bytes_of, texts)) if texts else max(ends.values(), default=0), short)


def _written(inputs: Tensors, specs: Mapping[str, Spec], axis: str) -> int:
    """The number of positions of an axis up to the last one that is no padding, at least 1."""
    last = 1
    for name, spec in specs.items():
        for place, each in enumerate(spec.axes or ()):
            if each == axis:
                used = np.moveaxis(np.not_equal(inputs[name], spec.padding), place, 0)
                there = np.flatnonzero(used.any(axis=tuple(range(1, used.ndim))))
                last = max(last, int(there[-1]) + 1 if len(there) else 0)
    return last


def _median(artifact: Artifact, signature: str, inputs: Tensors) -> float:
    """The median seconds of a call, after a first one that is not counted."""
    begin, laps = time.perf_counter(), list[float]()
    artifact.run(signature, inputs)  # warm: shapes allocated or compiled
    while len(laps) < RUNS:
        start = time.perf_counter()
        artifact.run(signature, inputs)
        laps.append(time.perf_counter() - start)
        if time.perf_counter() - begin > SECONDS:
            break
    return statistics.median(laps)


def _tokens_per_second(
    artifact: Artifact, signature: str, probes: Mapping[str, list[Probe]]
) -> float:
    begin, seconds, tokens = time.perf_counter(), 0.0, 0
    for probe in probes[signature]:
        outputs = artifact.run(signature, probe.inputs)
        tokens += int(np.sum(outputs.get("lengths", 0)))
        seconds += _median(artifact, signature, probe.inputs)
        if time.perf_counter() - begin > SECONDS:
            break
    return round(tokens / seconds, 1)
