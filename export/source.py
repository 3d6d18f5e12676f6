"""A task or a bare Keras model, read for export."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import keras

from export import manifest
from export.keras_model import read_model
from export.protocol import ExportableTask
from export.signatures import Signature
from export.task import answered, task_probes, task_signatures
from export.tolerances import TOLERANCES
from export.worker.axes import UNKNOWN
from export.worker.probes import Probe


@dataclass(frozen=True)
class Source:
    """What an artifact is made from and held to.

    Args:
        model: The model whose weights it holds.
        signatures: What it offers.
        probes: By signature, calls with what the live function returned.
        config: Plain data about the task and how it generates.
    """

    model: keras.Model
    signatures: list[Signature]
    probes: dict[str, list[Probe]]
    config: dict[str, Any]

    @property
    def strings(self) -> bool:
        """Whether text goes in."""
        return any(
            spec.dtype == "string" for each in self.signatures for spec in each.inputs.values()
        )

    def facts(self, concrete: dict[str, Any]) -> dict[str, Any]:
        """What the manifest says of the traced signatures and of where they come from."""
        return {
            "signatures": {
                each.name: _facts(each, concrete[each.name]) for each in self.signatures
            },
            "invariances": {each.name: list(each.parts.invariances) for each in self.signatures},
            "not_applicable": {each.name: each.not_applicable for each in self.signatures},
            "config": self.config,
            "sha256": {"weights": manifest.weights_sha256(self.model)},
        }


def read_source(
    task_or_model: ExportableTask | keras.Model,
    strings: bool,
    generation: dict[str, Any],
    *,
    litert: bool = False,
) -> Source:
    """Reads what is to be exported, and lets it answer its probes.

    Raises:
        ValueError: If it is neither a task nor a Keras model, has no signatures or no probes, or
            runs on another backend than TensorFlow.
    """
    if keras.backend.backend() != "tensorflow":
        raise ValueError(
            "Export needs Keras's TensorFlow backend: set KERAS_BACKEND=tensorflow; "
            f"the backend is '{keras.backend.backend()}'."
        )
    if isinstance(task_or_model, keras.Model):
        return _read_model(task_or_model, strings, generation)
    if not isinstance(task_or_model, ExportableTask):
        raise ValueError(
            "Export takes a Keras model or a task with model, export_config, signatures(), "
            "probes() and evaluate_artifact(), as export.protocol.ExportableTask says; "
            f"received {type(task_or_model).__name__}."
        )
    return _read_task(task_or_model, strings, generation, litert)


def _read_task(
    task: ExportableTask, strings: bool, generation: dict[str, Any], litert: bool
) -> Source:
    signatures = task_signatures(task, strings, generation, litert=litert)
    # Expected is what the task itself says, not its form for LiteRT, which runs only there.
    live = task_signatures(task, strings, generation) if litert else signatures
    calls = task_probes(task, live, generation)
    probes = {each.name: answered(each, calls[each.name]) for each in live}
    return Source(task.model, signatures, probes, {**task.export_config, "generation": generation})


def _read_model(model: keras.Model, strings: bool, generation: dict[str, Any]) -> Source:
    if generation:
        raise ValueError(f"A bare Keras model does not generate: {sorted(generation)} need a task.")
    if strings:
        raise ValueError("A bare Keras model has no tokenizer: strings=True needs a task.")
    signature, probes = read_model(model, TOLERANCES[None].error)
    config = {"model": type(model).__name__, "name": model.name}
    return Source(model, [signature], {signature.name: probes}, config)


def _facts(signature: Signature, function: Any) -> dict[str, Any]:
    """Each tensor's dtype and shape as traced, with its axes and padding as far as known."""
    sides = {
        "inputs": (function.structured_input_signature[1], signature.inputs),
        "outputs": (function.structured_outputs, signature.outputs),
    }
    return {
        side: {
            key: {
                "dtype": tensor.dtype.name,
                "shape": None if tensor.shape.rank is None else tensor.shape.as_list(),
                "axes": specs.get(key, UNKNOWN).axes,
                "padding": specs.get(key, UNKNOWN).padding,
            }
            for key, tensor in tensors.items()
        }
        for side, (tensors, specs) in sides.items()
    }
