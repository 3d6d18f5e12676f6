"""The signatures of a task for an export, and probes for each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np

from export.protocol import Calls, ExportableTask, ExportParts, LoadedArtifact, ServingSignature
from export.signatures import LiveSignature
from export.worker.probes import Probe, Tensors, plain


def read_signatures(given: Mapping[str, ServingSignature], task: str) -> list[LiveSignature]:
    """The signatures that a task gives, checked.

    Args:
        given: The signatures by name.
        task: The name of the class of the task, for messages.

    Raises:
        ValueError: If there are none, or one is not a `ServingSignature`.
    """
    for name, parts in given.items():
        if not isinstance(parts, ServingSignature):
            raise ValueError(
                f"Signature '{name}' of {task} must have inputs, preprocess, "
                "features, infer, outputs, postprocess, results, invariances, tables, units and "
                "follows, as export.protocol.ServingSignature says; "
                f"received {type(parts).__name__}."
            )
    if not given:
        raise ValueError(f"{task} has no signatures to export.")
    return [LiveSignature(name, parts) for name, parts in given.items()]


def task_probes(given: Calls, signatures: Sequence[LiveSignature]) -> dict[str, list[Tensors]]:
    """A task's probes for each signature: those under its name, or any that fit its inputs.

    A signature that follows another one has none; see `export.streaming_probes`.

    Args:
        given: What the task gives.
        signatures: Its signatures.

    Raises:
        ValueError: If a signature has none, so that nothing could be proven of it.
    """
    chosen = {}
    for signature in signatures:
        if signature.parts.follows:
            continue
        candidates = [given.get(signature.name, []), *given.values()]
        fitting = [calls for calls in candidates if calls and _fit(calls, signature)]
        if not fitting:
            raise ValueError(
                f"The task has no probes for signature '{signature.name}' "
                f"with inputs {sorted(signature.inputs)}."
            )
        chosen[signature.name] = [
            {key: _typed(array, signature.inputs[key].dtype) for key, array in call.items()}
            for call in fitting[0]
        ]
    return chosen


def _fit(calls: Sequence[Mapping[str, np.ndarray]], signature: LiveSignature) -> bool:
    """Whether calls have the inputs of a signature, with its fixed sizes."""
    return all(
        set(call) == set(signature.inputs)
        and all(
            size == axis
            for name, array in call.items()
            for size, axis in zip(np.shape(array), signature.inputs[name].axes or (), strict=False)
            if isinstance(axis, int)
        )
        for call in calls
    )


def _typed(array: Any, dtype: str) -> np.ndarray:
    return plain(array) if dtype == "string" else np.asarray(array, dtype)


def answered(signature: LiveSignature, calls: Sequence[Tensors]) -> list[Probe]:
    """Probes: the inputs with what the live function gives for them."""
    return [Probe(inputs, signature.run(inputs)) for inputs in calls]


@dataclass(frozen=True)
class TaskInHand:
    """A task whose parts were computed before, as an `ExportableTask`.

    Args:
        task: The task.
        parts: Its parts.
    """

    task: ExportableTask
    parts: ExportParts

    @property
    def model(self) -> keras.Model:
        """The model."""
        return self.task.model

    def export_parts(
        self, text: str | None, litert: bool = False, samples: bool = False, **generation: Any
    ) -> ExportParts:
        """The parts, which were computed for such arguments."""
        return self.parts

    def evaluate_artifact(self, artifact: LoadedArtifact, data: Any) -> dict[str, float]:
        """The metrics of an artifact."""
        return self.task.evaluate_artifact(artifact, data)
