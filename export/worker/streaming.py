"""Checks of signatures that are called in steps: together they return what one call does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from .artifact import Artifact
from .compare import Distance, distance, overlap
from .messages import Finding, finding
from .probes import Probe, Tensors

ENDED = "ended"  # the output that is 1 after the last step
WHOLE = "serving_default"
MOST = 10_000  # steps; what never ends has failed


def streaming_checks(
    entry: dict, probes: Mapping[str, list[Probe]], artifact: Artifact
) -> Iterator[Finding]:
    """Calls each signature that follows another one until it ends.

    Args:
        entry: The entry of the artifact in the manifest.
        probes: The probes of each signature.
        artifact: The artifact.
    """
    for name, recorded in entry["signatures"].items():
        start = recorded.get("follows")
        if not start:
            continue
        worst, steps = Distance(), 0
        for probe in probes[start]:
            last, count = _call_until_ended(artifact, start, name, probe.inputs)
            whole, steps = artifact.run(WHOLE, probe.inputs), steps + count
            for key in whole.keys() & last.keys():
                worst = worst.worse(_apart(whole[key], last[key], recorded["outputs"][key]))
        allowed = entry["tolerance"]
        passed = worst.error <= allowed["error"] and worst.agreement >= allowed["agreement"]
        detail = f"error {worst.error:.1e}, {worst.agreement:.1%} equal, steps: {steps}"
        yield finding(f"{name}: equals {WHOLE}", passed, detail)


def _call_until_ended(
    artifact: Artifact, start: str, step: str, inputs: Tensors
) -> tuple[Tensors, int]:
    """What the last call returns, and the number of calls."""
    known = artifact.run(start, inputs)
    taken = artifact.signatures[step]["inputs"]
    for count in range(1, MOST + 1):
        outputs = artifact.run(step, {name: known[name] for name in taken})
        known = {**known, **outputs}
        if outputs[ENDED].all():
            return outputs, count
    raise ValueError(f"{step} has not ended after {MOST} calls")


def _apart(expected: np.ndarray, actual: np.ndarray, recorded: dict) -> Distance:
    pair = overlap(expected, actual, recorded["padding"])
    return Distance(float("inf"), 0.0) if pair is None else distance(*pair)
