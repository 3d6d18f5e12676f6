"""The SavedModel on disk of traced signatures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tensorflow as tf

from export.signatures import Function, LiveSignature


def write_saved_model(
    signatures: Sequence[LiveSignature], folder: Path, infer: Mapping[str, Function] | None = None
) -> dict[str, Any]:
    """Traces signatures and saves them.

    Args:
        signatures: The signatures.
        folder: The folder to write.
        infer: By signature, what takes the place of its stage `infer`.

    Returns:
        The concrete function of each signature by name.
    """
    instead = infer or {}
    concrete: dict[str, Any] = {}
    traced: dict[Any, Any] = {}
    for each in signatures:
        own = instead.get(each.name)
        key = id(each.parts), own  # two names of one signature share a function
        traced[key] = traced.get(key) or each.trace(own)
        concrete[each.name] = traced[key]
    module = tf.Module()
    variables = {
        id(variable): variable
        for function in concrete.values()
        for variable in function.graph.variables
    }
    module.weights = list(variables.values())
    module.tables = [table for each in signatures for table in each.parts.tables]
    tf.saved_model.save(module, str(folder), signatures=concrete)
    return concrete
