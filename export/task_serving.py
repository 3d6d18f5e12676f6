"""The signatures of a task, opened as those of an artifact."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from export.protocol import ExportableTask
from export.serving import Opened
from export.source import signature_facts
from export.task import task_signatures
from export.worker.probes import Tensors, plain


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
