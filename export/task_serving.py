"""The signatures of a task, opened as those of an artifact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import tensorflow as tf

from export.protocol import ExportableTask
from export.serving import Opened
from export.signatures import LiveSignature
from export.source import signature_facts
from export.task import read_signatures
from export.worker.probes import Tensors, plain


def open_task(task: ExportableTask, **generation: Any) -> Opened:
    """The signatures of a task, as those of a SavedModel that takes text.

    Args:
        task: The task.
        **generation: How to generate, as for `export.saved_model`.
    """
    parts = task.export_parts("strings", **generation)
    config = {**parts.config, "generation": generation}
    return open_signatures(
        read_signatures(parts.signatures, type(task).__name__), config, parts.assets
    )


def open_signatures(
    signatures: Sequence[LiveSignature],
    config: Mapping[str, Any] = MappingProxyType({}),
    assets: Mapping[str, str] = MappingProxyType({}),
) -> Opened:
    """Signatures of a live model, as those of a SavedModel.

    Args:
        signatures: The signatures.
        config: The description of the task.
        assets: The files that belong beside an artifact.
    """
    functions = {each.name: each.trace() for each in signatures}

    def run(name: str, inputs: Tensors) -> Tensors:
        specs = functions[name].structured_input_signature[1]
        tensors = {key: tf.constant(plain(x), specs[key].dtype) for key, x in inputs.items()}
        return {key: plain(x.numpy()) for key, x in functions[name](**tensors).items()}

    facts = {each.name: signature_facts(each, functions[each.name]) for each in signatures}
    invariances = {each.name: tuple(each.parts.invariances) for each in signatures}
    return Opened(facts, invariances, run, "1", dict(config), dict(assets))
