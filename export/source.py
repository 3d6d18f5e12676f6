"""A task or a bare Keras model, read for export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import keras

from export import manifest
from export.fixed import FixedSizes
from export.fixed_probes import fitting_calls, padded
from export.keras_model import model_inputs, read_model
from export.mediapipe_protocol import MediaPipeTask, Metadata
from export.model_probes import model_probes
from export.protocol import ExportableTask, values_of
from export.report import Check
from export.signatures import LiveSignature
from export.streaming_probes import followed, following_probes
from export.task import answered, read_signatures, task_probes
from export.text_forms import compare_text_forms, compare_with_mediapipe
from export.tolerances import TOLERANCES
from export.worker.axes import UNKNOWN
from export.worker.probes import ENCODED, SAMPLES, Probe

TEXTS = (None, "strings", "bytes")
TEXT_OPERATORS = "TFText>"  # the beginning of their names
SEEDS = 8  # of the samples of a Keras model; each has several calls


@dataclass(frozen=True)
class ExportSource:
    """What an artifact is made from and held to.

    Args:
        model: The model whose weights it holds.
        signatures: What it offers.
        probes: By signature, calls with what the live function returned; of what is quantized,
            under `SAMPLES` and the signature's name many more.
        config: Plain data about the task and how it generates.
        fixed: The sizes of all dynamic axes, of a file of one shape.
        assets: The files that belong beside it, by name.
        calibration: Under the keys of samples, inputs of data of the user whose ranges are those of
            integers; empty if the samples are taken.
        checks: What was checked of the live model.
        live: The signatures of a task that say what is expected, before their sizes are fixed.
        metadata: What MediaPipe has to know of it, of a file for MediaPipe.
    """

    model: keras.Model
    signatures: list[LiveSignature]
    probes: dict[str, list[Probe]]
    config: dict[str, Any]
    fixed: FixedSizes | None = None
    assets: Mapping[str, str] = field(default_factory=dict)
    calibration: Mapping[str, list[Probe]] = field(default_factory=dict)
    checks: Sequence[Check] = ()
    live: Sequence[LiveSignature] = ()
    metadata: Metadata | None = None

    def strings(self, concrete: dict[str, Any]) -> bool:
        """Whether text goes in, or is joined by an operator of tensorflow-text.

        Args:
            concrete: The traced signatures by name.
        """
        takes_text = any(
            spec.dtype == "string" and not name.endswith(ENCODED)
            for each in self.signatures
            for name, spec in each.inputs.items()
        )
        return takes_text or any(
            operation.type.startswith(TEXT_OPERATORS)
            for function in concrete.values()
            for operation in function.graph.get_operations()
        )

    def facts(self, concrete: dict[str, Any]) -> dict[str, Any]:
        """What the manifest says of the traced signatures and of where they come from."""
        return {
            "signatures": {
                each.name: signature_facts(each, concrete[each.name]) for each in self.signatures
            },
            "strings": self.strings(concrete),
            "invariances": {each.name: list(each.parts.invariances) for each in self.signatures},
            "not_applicable": {each.name: each.not_applicable for each in self.signatures},
            "fixed": self.fixed.facts() if self.fixed else None,
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
    text: str | None,
    generation: dict[str, Any],
    *,
    litert: bool = False,
    fixed: FixedSizes | None = None,
    samples: bool = False,
) -> ExportSource:
    """Reads what is to be exported, and lets it answer its probes.

    Args:
        task_or_model: A task or a Keras model.
        text: How text goes in: "strings", "bytes" or None.
        generation: How to generate.
        litert: Whether to use only operators that LiteRT has.
        fixed: The sizes of all dynamic axes; None if they stay dynamic.

    Raises:
        ValueError: If it is neither a task nor a Keras model, or has no signatures or no probes.
    """
    if text not in TEXTS:
        raise ValueError(f"text must be one of {TEXTS}; received {text!r}.")
    if isinstance(task_or_model, keras.Model):
        return _read_model(task_or_model, text, generation, fixed, samples)
    if not isinstance(task_or_model, ExportableTask):
        raise ValueError(
            "Export takes a Keras model or a task with model, export_parts() and "
            "evaluate_artifact(), as export.protocol.ExportableTask says; "
            f"received {type(task_or_model).__name__}."
        )
    return _read_task(task_or_model, text, generation, litert, fixed, samples)


def _read_task(
    task: ExportableTask,
    text: str | None,
    generation: dict[str, Any],
    litert: bool,
    fixed: FixedSizes | None,
    samples: bool,
) -> ExportSource:
    options, kind = dict(generation), type(task).__name__
    if fixed and (text == "bytes" or options.get("stream")):
        options["length"] = fixed.length
    parts = task.export_parts(text, litert, samples, **options)
    signatures = read_signatures(parts.signatures, kind)
    # Expected is what the task itself says, not its form for LiteRT, which runs only there and may
    # have fewer signatures.
    names = {each.name for each in signatures}
    live = [each for each in read_signatures(parts.live, kind) if each.name in names]
    probes = {}
    given = {"": parts.probes} | ({SAMPLES: parts.samples} if samples else {})
    for prefix, calls in given.items():
        chosen = task_probes(calls, live)
        for each in live:
            if each.parts.follows:
                continue
            fitting = fitting_calls(fixed, each, chosen[each.name]) if fixed else chosen[each.name]
            probes[prefix + each.name] = answered(each, fitting)
    config = {**parts.config, "generation": generation}
    checks: list[Check] = []
    if parts.strings is not None:
        strings = read_signatures(parts.strings, kind)
        checks = [*compare_text_forms(strings, signatures, parts.probes)]
    source = ExportSource(
        task.model, signatures, probes, config, assets=parts.assets, checks=checks, live=live
    )
    if isinstance(task, MediaPipeTask):
        checks = [compare_with_mediapipe(task)]
        source = replace(source, metadata=task.metadata(), checks=checks)
    source = _with_fixed_sizes(source, fixed) if fixed else source
    return _with_following(source, live)


def _read_model(
    model: keras.Model,
    text: str | None,
    generation: dict[str, Any],
    fixed: FixedSizes | None,
    samples: bool,
) -> ExportSource:
    if generation:
        raise ValueError(f"A bare Keras model does not generate: {sorted(generation)} need a task.")
    if text:
        raise ValueError(f"A bare Keras model has no tokenizer: text={text!r} needs a task.")
    signature, probes = read_model(model, TOLERANCES[None].error)
    config = {"model": type(model).__name__, "name": model.name}
    more = []
    if samples:
        inputs = model_inputs(model)
        more = [x for seed in range(SEEDS) for x in model_probes(model, inputs, seed=seed)]
    if fixed:
        whole = model_probes(model, signature.parts.inputs, [(fixed.batch, fixed.length or 1)])
        calls = fitting_calls(fixed, signature, [*(probe.inputs for probe in probes), *whole])
        probes = answered(signature, calls)
        more = fitting_calls(fixed, signature, more) if more else more
    by_signature = {signature.name: probes}
    if samples:
        by_signature[SAMPLES + signature.name] = answered(signature, more)
    source = ExportSource(model, [signature], by_signature, config)
    return _with_fixed_sizes(source, fixed) if fixed else source


def _with_fixed_sizes(source: ExportSource, fixed: FixedSizes) -> ExportSource:
    """The same for one shape: probes are padded, and have the live model's answers without."""
    fixed.check_text_size(source.signatures)
    named = {each.name: each for each in source.signatures}
    signatures = [fixed.signature(each) for each in source.signatures]
    probes = {
        name: [padded(fixed, named[name.removeprefix(SAMPLES)], probe) for probe in probes]
        for name, probes in source.probes.items()
    }
    begin = followed(signatures)  # what they return has the sizes of what they are called with
    for each in signatures:
        if each.name in begin:
            for name in {each.name, SAMPLES + each.name} & probes.keys():
                probes[name] = answered(each, [probe.inputs for probe in probes[name]])
    return replace(source, signatures=signatures, probes=probes, fixed=fixed)


def _with_following(source: ExportSource, live: Sequence[LiveSignature]) -> ExportSource:
    """The same with probes of the signatures that follow others."""
    following = {
        prefix + each.name: following_probes(each, source.probes[prefix + each.parts.follows])
        for each in live
        if each.parts.follows
        for prefix in ("", SAMPLES)
        if prefix + each.parts.follows in source.probes
    }
    return replace(source, probes={**source.probes, **following})


def signature_facts(signature: LiveSignature, function: Any) -> dict[str, Any]:
    """Each tensor's dtype and shape as traced, with its axes and padding as far as known."""
    parts = signature.parts
    words = {key: each.meaning for key, each in parts.inputs.items()}
    ranges = {key: values_of(each) for key, each in parts.inputs.items()}
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
                "unit": specs.get(key, UNKNOWN).unit,
                "meaning": meanings.get(key, ""),
            }
            for key, tensor in tensors.items()
        }
        for side, (tensors, specs, meanings) in sides.items()
    }
    for key, values in ranges.items():
        if values:
            tensors["inputs"][key]["values"] = [*values]
    return {"purpose": parts.purpose, "follows": parts.follows, **tensors}
