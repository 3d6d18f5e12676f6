"""Open what a server calls: the signatures of a task or of an artifact."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tensorflow as tf

from export import manifest
from export.protocol import ExportableTask
from export.source import signature_facts
from export.task import task_signatures
from export.verify import locate
from export.worker.artifact import load
from export.worker.check import before_loading, may_be_loaded
from export.worker.probes import Tensors, plain


@dataclass(frozen=True)
class Opened:
    """Signatures that can be called.

    Args:
        facts: By signature, its purpose, "inputs" and "outputs", as in the manifest.
        invariances: By signature, "batch" and "padding": what does not change its outputs.
        run: Calls a signature with arrays by name.
        version: Version of the model.
        config: Description of the task.
        beside: Text files for clients, such as labels: their content by name.
        empty: Whether inputs without numbers may go in.
    """

    facts: Mapping[str, Mapping[str, Any]]
    invariances: Mapping[str, tuple[str, ...]]
    run: Callable[[str, Tensors], Tensors]
    version: str = "1"
    config: Mapping[str, Any] = field(default_factory=dict)
    beside: Mapping[str, str] = field(default_factory=dict)
    empty: bool = True


def open_task(task: ExportableTask, **generation: Any) -> Opened:
    """The signatures of a task, as those of a SavedModel that takes text.

    Args:
        task: The task.
        **generation: How to generate, as for `export.saved_model`.
    """
    signatures = task_signatures(task, "strings", generation)
    functions = {each.name: each.trace() for each in signatures}

    def run(name: str, inputs: Tensors) -> Tensors:
        specs = functions[name].structured_input_signature[1]
        tensors = {key: tf.constant(plain(x), specs[key].dtype) for key, x in inputs.items()}
        return {key: plain(x.numpy()) for key, x in functions[name](**tensors).items()}

    facts = {each.name: signature_facts(each, functions[each.name]) for each in signatures}
    invariances = {each.name: tuple(each.parts.invariances) for each in signatures}
    config = {**task.export_config, "generation": generation}
    return Opened(facts, invariances, run, "1", config, task.assets())


def open_artifact(path: str | Path) -> Opened:
    """An exported artifact: the newest version of a SavedModel, a LiteRT file or ONNX files.

    It is loaded only if its files are those of the manifest, and its operators are allowed.

    Args:
        path: A LiteRT file, a folder of ONNX files, the folder of a SavedModel, or one version in
            it.

    Raises:
        ValueError: If there is no artifact, or it is not the one that was exported.
    """
    folder, name = locate(Path(path))
    entry: dict[str, Any] = manifest.find(folder, name) or {}
    checks, counts = before_loading(folder, name, entry)
    if not may_be_loaded(checks, counts):
        wrong = next(check for check in checks if not check["passed"])
        raise ValueError(f"{path} must not be loaded: {wrong['name']}: {wrong['detail']}")
    artifact = load(folder / name, entry["strings"])
    beside = {
        Path(file).name.removeprefix(f"{name}."): (folder / file).read_text("utf-8")
        for file in entry["beside"]
    }
    invariances = {each: tuple(held) for each, held in entry["invariances"].items()}
    litert = entry["format"] == "litert"
    version = name if name.isdigit() else "1"
    config = entry.get("config", {})
    return Opened(
        entry["signatures"], invariances, artifact.run, version, config, beside, empty=not litert
    )
