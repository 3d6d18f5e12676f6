"""Inputs from a file of the user, by which the ranges of integers are calibrated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from export.fixed_probes import fitting_calls, padded
from export.protocol import ExportableTask
from export.signatures import LiveSignature
from export.source import ExportSource
from export.task import task_probes
from export.task_serving import open_signatures
from export.worker.artifact import Artifact
from export.worker.precisions import Storage
from export.worker.probes import SAMPLES, Probe, Tensors

CALLS = 64  # that are kept


def check_calibration(task: object, data: str | Path, kinds: Sequence[Storage]) -> None:
    """Raises a ValueError if nothing is calibrated, or cannot be on this file."""
    if not any(kind.is_calibrated for kind in kinds):
        raise ValueError("calibration needs static_int8: nothing else is calibrated.")
    if not isinstance(task, ExportableTask):
        raise ValueError("calibration needs a task: a bare Keras model does not read files.")
    if not Path(data).exists():
        raise ValueError(f"There is no file {data} to calibrate on.")


def with_calibration(source: ExportSource, task: ExportableTask, data: str | Path) -> ExportSource:
    """The source with the inputs that the task makes of a file, as it does to evaluate on it.

    Args:
        source: What is exported.
        task: The task.
        data: The file.
    """
    signatures = source.live
    chosen = task_probes(recorded_calls(task, data, signatures), signatures)
    kept = {}
    for each in signatures:
        if each.name not in chosen:
            continue
        calls = chosen[each.name]
        if source.fixed:
            calls = fitting_calls(source.fixed, each, calls, CALLS)
        indices = np.linspace(0, len(calls) - 1, min(len(calls), CALLS)).round().astype(int)
        probes = [Probe(calls[index], {}) for index in indices]
        if source.fixed:
            probes = [padded(source.fixed, each, probe) for probe in probes]
        kept[SAMPLES + each.name] = probes
    return replace(source, calibration=kept)


def recorded_calls(
    task: ExportableTask, data: str | Path, signatures: Sequence[LiveSignature]
) -> dict[str, list[Tensors]]:
    """The inputs of each signature that a task calls while it is evaluated on a file."""
    opened: Any = open_signatures(signatures)
    calls: dict[str, list[Tensors]] = {}

    def run(name: str, inputs: Tensors) -> Tensors:
        calls.setdefault(name, []).append({key: np.asarray(x) for key, x in inputs.items()})
        return opened.run(name, inputs)

    task.evaluate_artifact(Artifact(run, opened.facts), data)
    return calls
