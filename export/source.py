"""A task or a bare Keras model, read for export."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import keras

from export import manifest
from export.keras_model import model_inputs, read_model
from export.model_probes import model_probes
from export.protocol import ExportableTask
from export.signatures import Signature
from export.task import answered, task_probes, task_signatures
from export.tolerances import TOLERANCES
from export.worker.axes import UNKNOWN
from export.worker.probes import SAMPLES, Probe

SEEDS = 8  # of the samples of a Keras model; each has several calls


@dataclass(frozen=True)
class Source:
    """What an artifact is made from and held to.

    Args:
        model: The model whose weights it holds.
        signatures: What it offers.
        probes: By signature, calls with what the live function returned; of what is quantized,
            under `SAMPLES` and the signature's name many more.
        config: Plain data about the task and how it generates.
        assets: The files that belong beside it, by name.
    """

    model: keras.Model
    signatures: list[Signature]
    probes: dict[str, list[Probe]]
    config: dict[str, Any]
    assets: Mapping[str, str] = field(default_factory=dict)

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
            "strings": self.strings,
            "invariances": {each.name: list(each.parts.invariances) for each in self.signatures},
            "config": self.config,
            "sha256": {"weights": manifest.weights_sha256(self.model)},
        }


def check_backend() -> None:
    """Raises a ValueError on another backend than TensorFlow."""
    backend = keras.backend.backend()
    if backend != "tensorflow":
        raise ValueError(
            f"Export needs Keras's TensorFlow backend, and this process runs '{backend}': save the "
            "model as a .keras file, or the task as a run folder, and load and export it in a "
            "process with KERAS_BACKEND=tensorflow."
        )


def read_source(
    task_or_model: ExportableTask | keras.Model,
    strings: bool,
    generation: dict[str, Any],
    *,
    litert: bool = False,
    samples: bool = False,
) -> Source:
    """Reads what is to be exported, and lets it answer its probes.

    Raises:
        ValueError: If it is neither a task nor a Keras model, or has no signatures or no probes.
    """
    if isinstance(task_or_model, keras.Model):
        return _read_model(task_or_model, strings, generation, samples)
    if not isinstance(task_or_model, ExportableTask):
        raise ValueError(
            "Export takes a Keras model or a task with model, export_config, signatures(), "
            "probes() and evaluate_artifact(), as export.protocol.ExportableTask says; "
            f"received {type(task_or_model).__name__}."
        )
    return _read_task(task_or_model, strings, generation, litert, samples)


def _read_task(
    task: ExportableTask, strings: bool, generation: dict[str, Any], litert: bool, samples: bool
) -> Source:
    signatures = task_signatures(task, strings, generation, litert=litert)
    # Expected is what the task itself says, not its form for LiteRT, which runs only there.
    live = task_signatures(task, strings, generation) if litert else signatures
    calls = task_probes(task.probes(**generation), live)
    probes = {each.name: answered(each, calls[each.name]) for each in live}
    if samples:
        more = task_probes(task.samples(**generation), live)
        probes |= {SAMPLES + each.name: answered(each, more[each.name]) for each in live}
    config = {**task.export_config, "generation": generation}
    return Source(task.model, signatures, probes, config, task.assets())


def _read_model(
    model: keras.Model, strings: bool, generation: dict[str, Any], samples: bool
) -> Source:
    if generation:
        raise ValueError(f"A bare Keras model does not generate: {sorted(generation)} need a task.")
    if strings:
        raise ValueError("A bare Keras model has no tokenizer: strings=True needs a task.")
    signature, probes = read_model(model, TOLERANCES[None].error)
    config = {"model": type(model).__name__, "name": model.name}
    calls = {signature.name: probes}
    if samples:
        inputs = model_inputs(model)
        more = [x for seed in range(SEEDS) for x in model_probes(model, inputs, seed=seed)]
        calls[SAMPLES + signature.name] = answered(signature, more)
    return Source(model, [signature], calls, config)


def _facts(signature: Signature, function: Any) -> dict[str, Any]:
    """Each tensor's dtype and shape as traced, with its axes and padding as far as known."""
    parts = signature.parts
    words = {key: each.meaning for key, each in parts.inputs.items()}
    sides = {
        "inputs": (function.structured_input_signature[1], signature.inputs, words),
        "outputs": (function.structured_outputs, signature.outputs, parts.meanings),
    }
    tensors = {
        side: {
            key: {
                "dtype": tensor.dtype.name,
                "shape": None if tensor.shape.rank is None else tensor.shape.as_list(),
                "axes": specs.get(key, UNKNOWN).axes,
                "padding": specs.get(key, UNKNOWN).padding,
                "meaning": meanings.get(key, ""),
            }
            for key, tensor in tensors.items()
        }
        for side, (tensors, specs, meanings) in sides.items()
    }
    return {"purpose": parts.purpose, **tensors}
