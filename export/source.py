"""A task or a bare Keras model, read for export: signatures, probes and facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import keras

from export import manifest
from export.keras_model import invariances_held, model_probes, model_signature
from export.signatures import Signature, answered, task_probes, task_signatures
from export.tolerances import TOLERANCES
from export.worker.probes import Probe


@dataclass(frozen=True)
class Source:
    """What an artifact is made from and held to."""

    model: keras.Model | None
    signatures: list[Signature]
    probes: dict[str, list[Probe]]
    invariances: dict[str, tuple[str, ...]]
    config: dict[str, Any]
    generates: bool

    @property
    def strings(self) -> bool:
        """Whether text goes in or comes out."""
        return any(
            dtype == "string" for each in self.signatures for _, dtype in each.inputs.values()
        )

    def facts(self, concrete: dict[str, Any]) -> dict[str, Any]:
        """What the manifest says of the traced signatures and of where they come from."""
        pads = {each.name: each.pad for each in self.signatures}
        return {
            "signatures": {
                name: {
                    "pad": pads[name],
                    "inputs": {
                        key: {"dtype": spec.dtype.name, "shape": spec.shape.as_list()}
                        for key, spec in function.structured_input_signature[1].items()
                    },
                    "outputs": {
                        key: {"dtype": tensor.dtype.name, "shape": _sizes(tensor)}
                        for key, tensor in function.structured_outputs.items()
                    },
                }
                for name, function in concrete.items()
            },
            "invariances": {name: list(held) for name, held in self.invariances.items()},
            "config": self.config,
            "sha256": {"weights": manifest.weights_sha256(self.model)},
        }


def read_source(
    task_or_model: Any, strings: bool, generation: dict[str, Any], *, litert: bool = False
) -> Source:
    """Read `task_or_model` and let it answer its probes.

    Raises:
        ValueError: it is neither a task nor a Keras model, has no signatures or no probes, or runs
            on another backend than TensorFlow.
    """
    if keras.backend.backend() != "tensorflow":
        raise ValueError(
            "Export needs Keras's TensorFlow backend: set KERAS_BACKEND=tensorflow, "
            f"got '{keras.backend.backend()}'."
        )
    if hasattr(task_or_model, "signatures"):
        return _read_task(task_or_model, strings, generation, litert)
    if isinstance(task_or_model, keras.Model):
        return _read_model(task_or_model, strings, generation)
    raise ValueError(f"Expected a task or a Keras model, got {type(task_or_model).__name__}.")


def _read_task(task: Any, strings: bool, generation: dict[str, Any], litert: bool) -> Source:
    signatures = task_signatures(task, strings, generation, litert=litert)
    # Expected is what the task itself says, not its form for LiteRT, which only runs there.
    live = task_signatures(task, strings, generation) if litert else signatures
    inputs = task_probes(task, live)
    return Source(
        task.model,
        signatures,
        {each.name: answered(each, inputs[each.name]) for each in live},
        {each.name: each.invariances for each in signatures},
        {**task.export_config, "generation": generation},
        generates=True,
    )


def _read_model(model: keras.Model, strings: bool, generation: dict[str, Any]) -> Source:
    if generation:
        raise ValueError(f"A bare Keras model does not generate: {sorted(generation)} need a task.")
    if strings:
        raise ValueError("A bare Keras model has no tokenizer: strings=True needs a task.")
    signature = model_signature(model)
    probes = answered(signature, model_probes(model, signature))
    return Source(
        model,
        [signature],
        {signature.name: probes},
        {signature.name: invariances_held(signature, probes, TOLERANCES[None].error)},
        {"model": type(model).__name__, "name": model.name},
        generates=False,
    )


def _sizes(tensor: Any) -> list[int | None] | None:
    return None if tensor.shape.rank is None else tensor.shape.as_list()
