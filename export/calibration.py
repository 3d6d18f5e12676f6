"""Inputs from a file of the user, by which the ranges of integers are calibrated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import keras
import numpy as np

from export.fixed_probes import fitting_calls, padded
from export.protocol import ExportableTask
from export.signatures import LiveSignature
from export.source import ExportSource
from export.task import answered, task_probes
from export.task_serving import open_signatures
from export.worker.artifact import Artifact
from export.worker.precisions import Storage
from export.worker.probes import SAMPLES, Probe, Tensors

CALLS = 64  # that are kept


Calibration = str | Path | np.ndarray | Mapping[str, np.ndarray]
"""A file that a task reads, or the inputs of a bare Keras model, by name if it has several."""


def check_calibration(task: object, data: Calibration, kinds: Sequence[Storage]) -> None:
    """Raises a ValueError if nothing is calibrated, or cannot be on these data."""
    if not any(kind.is_calibrated for kind in kinds):
        raise ValueError("calibration needs static_int8: nothing else is calibrated.")
    is_file = isinstance(data, str | Path)
    if isinstance(task, keras.Model):
        if is_file:
            raise ValueError(
                "a bare Keras model does not read files: calibration must be arrays of its inputs, "
                "by name."
            )
        return
    if not isinstance(task, ExportableTask):
        raise ValueError("calibration needs a task or a Keras model.")
    if not is_file:
        raise ValueError("calibration of a task must be a file, as evaluate takes it.")
    if isinstance(data, str | Path) and not Path(data).exists():
        raise ValueError(f"There is no file {data} to calibrate on.")


def with_arrays(source: ExportSource, data: np.ndarray | Mapping[str, np.ndarray]) -> ExportSource:
    """The source of a bare Keras model with rows of arrays: for ranges, and to judge the file.

    Args:
        source: What is exported.
        data: The inputs, of the same number of rows.

    Raises:
        ValueError: If they are not the inputs of the model.
    """
    (signature,) = source.live or source.signatures
    rows = _rows(signature, data if isinstance(data, Mapping) else {"": data})
    indices = np.linspace(0, len(rows) - 1, min(len(rows), CALLS)).round().astype(int)
    calls = [rows[index] for index in indices]
    if source.fixed:
        calls = fitting_calls(source.fixed, signature, calls, CALLS)
    probes = answered(signature, calls)
    if source.fixed:
        probes = [padded(source.fixed, signature, probe) for probe in probes]
    name = SAMPLES + signature.name
    return replace(source, probes={**source.probes, name: probes}, calibration={name: probes})


def _rows(signature: LiveSignature, data: Mapping[str, np.ndarray]) -> list[Tensors]:
    """The rows of arrays, each as a call of the signature with a batch of one."""
    inputs = signature.parts.inputs
    if len(inputs) == 1 and [*data] == [""]:
        data = {name: data[""] for name in inputs}
    if data.keys() != inputs.keys():
        given = ", ".join(name or "an array without a name" for name in data)
        raise ValueError(
            f"calibration must have the inputs of the model, {', '.join(inputs)}; received {given}."
        )
    arrays = {name: np.asarray(x) for name, x in data.items()}
    for name, spec in inputs.items():
        shape = arrays[name].shape
        wanted = [size if isinstance(size, int) else None for size in spec.shape]
        fits = len(shape) == len(wanted) and all(
            size in (None, own) for size, own in zip(wanted[1:], shape[1:], strict=True)
        )
        if not fits:
            raise ValueError(
                f"calibration: {name} must have the shape {(None, *wanted[1:])}; received {shape}."
            )
    counts = {name: len(x) for name, x in arrays.items()}
    if len({*counts.values()}) != 1 or not min(counts.values()):
        raise ValueError(
            f"calibration must have as many rows of each input, at least one; received {counts}."
        )
    typed = {name: x.astype(inputs[name].dtype) for name, x in arrays.items()}
    return [{name: x[i : i + 1] for name, x in typed.items()} for i in range(min(counts.values()))]


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
