"""The speed of an artifact on its probes."""

from __future__ import annotations

import os
import statistics
import time
from typing import Any

import numpy as np

from .artifact import Artifact
from .probes import Probe

RUNS = 5
SECONDS = 10.0  # after that no further probe is timed


def timing(artifact: Artifact, probes: dict[str, list[Probe]]) -> dict[str, Any]:
    """The median latency of a call of `serving_default`, and the tokens generated per second.

    Tokens are counted if a signature has an output `lengths`.

    Args:
        artifact: The artifact.
        probes: The probes of each of its signatures.
    """
    names = sorted(artifact.signatures, key=lambda name: name != "serving_default")
    medians, _ = _laps(artifact, names[0], probes[names[0]])
    report = {
        "signature": names[0],
        "probes": len(medians),
        "threads": os.cpu_count(),
        "latency_ms": round(statistics.median(medians) * 1e3, 3),
    }
    generating = [name for name in names if "lengths" in artifact.signatures[name]["outputs"]]
    if generating:
        seconds, tokens = _laps(artifact, generating[0], probes[generating[0]])
        report["tokens_per_second"] = round(tokens / sum(seconds), 1)
    return report


def _laps(artifact: Artifact, signature: str, probes: list[Probe]) -> tuple[list[float], int]:
    """The median seconds of a call for each probe, and the number of tokens generated."""
    begin, medians, tokens = time.perf_counter(), [], 0
    for probe in probes:
        outputs = artifact.run(signature, probe.inputs)  # warm: shapes allocated or compiled
        tokens += int(np.sum(outputs.get("lengths", 0)))
        laps = []
        for _ in range(RUNS):
            start = time.perf_counter()
            artifact.run(signature, probe.inputs)
            laps.append(time.perf_counter() - start)
        medians.append(statistics.median(laps))
        if time.perf_counter() - begin > SECONDS:
            break
    return medians, tokens
