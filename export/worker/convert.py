"""The conversion of a SavedModel to LiteRT files, in a process of its own: it leaks memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from .half import with_half_matrices
from .lookups import with_shared_tables
from .messages import one_line
from .precisions import CONVERTER, HALF, PRECISIONS, STATIC, Storage
from .probes import load_probes
from .recipes import quantized
from .side_by_side import side_by_side
from .static_int8 import static_int8


def main(job: dict) -> dict:
    """Converts a SavedModel, once for all files that are made of one conversion.

    Args:
        job: "saved_model", its folder; "signatures", the names of the outputs of each, in order;
            "files", the parts of a `Storage` by the path to write; "strings", whether it takes
            text; "probes", a file of probes with samples, and "float_layers", patterns of names
            of layers, for "static_int8".

    Returns:
        By the path of a file that could not be written "error", a message, and "refused", the
        operators that LiteRT lacks, with the names of their nodes.
    """
    files: dict[str | None, dict[str, Any]] = {}
    for file, parts in job["files"].items():
        files.setdefault(Storage(*parts).converted_as, {})[file] = parts
    failed = side_by_side(_converted, [{**job, "files": each} for each in files.values()])
    return {file: why for each in failed for file, why in each.items()}


def _converted(job: dict) -> dict:
    """The same for files that are made of one conversion."""
    import tensorflow as tf

    if job["strings"]:
        import tensorflow_text  # noqa: F401  registers the operators

    @cache
    def converted(quantize: str | None) -> bytes:
        content = bytearray(_converter(tf, job, quantize).convert())
        order_outputs(content, job["signatures"])
        return bytes(content)

    failed = {}
    for file, parts in job["files"].items():
        try:
            Path(file).write_bytes(_content(converted, Storage(*parts), job))
        except Exception as error:
            failed[file] = {"error": one_line(error), "refused": _missing(str(error))}
    return failed


def _content(converted: Callable[[str | None], bytes], storage: Storage, job: dict) -> bytes:
    how = PRECISIONS[storage.quantize].how if storage.quantize else CONVERTER
    if how == STATIC:
        return static_int8(converted(None), load_probes(job["probes"]), job["float_layers"])
    if how == HALF:
        return with_half_matrices(converted(None))
    if how != CONVERTER:
        return quantized(converted(None), storage)
    content = converted(storage.converted_as)
    return with_shared_tables(content) if storage.quantize == "int8" else content


def _converter(tf: Any, job: dict, quantize: str | None) -> Any:
    converter = tf.lite.TFLiteConverter.from_saved_model(
        job["saved_model"], signature_keys=list(job["signatures"])
    )
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]
    converter.allow_custom_ops = job["strings"]
    if quantize == "int8":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    return converter


def order_outputs(content: bytearray, signatures: dict[str, list[str]]) -> None:
    """Puts the output tensors of a LiteRT file in order: the converter sorts them by name.

    Args:
        content: The file, changed in place.
        signatures: The names of the outputs of each signature, in order.
    """
    from ai_edge_litert import schema_py_generated as schema

    model = schema.Model.GetRootAs(content, 0)
    for each in range(model.SignatureDefsLength()):
        signature = model.SignatureDefs(each)
        outputs = [signature.Outputs(index) for index in range(signature.OutputsLength())]
        tensors = {output.Name().decode(): output.TensorIndex() for output in outputs}
        order = [tensors[name] for name in signatures[signature.SignatureKey().decode()]]
        model.Subgraphs(signature.SubgraphIndex()).OutputsAsNumpy()[:] = order


# How the converter speaks of an operator that it cannot translate, the plainest way first.
_NAMED = (
    re.compile(r"^(?:TF Select|Custom) ops: (.+)$", re.MULTILINE),
    re.compile(r"'tf\.(\w+)' op"),
    re.compile(r'error: loc\((?:callsite\()?fused\["(\w+):'),
    re.compile(r'^loc\((?:callsite\()?fused\["(\w+):"', re.MULTILINE),
)


# Where an operator is: the name of its node, behind which that of the function is.
_LOCATION = re.compile(r'fused\["(\w+):", "([^"@]+)@')


def _missing(message: str) -> list[str]:
    """The operators that a converter's error message names, each with where it is first."""
    locations: dict[str, str] = {}
    for name, location in _LOCATION.findall(message):
        locations.setdefault(name, location)
    for pattern in _NAMED:
        operators = ", ".join(pattern.findall(message))
        if operators:
            names = sorted({name.strip() for name in operators.split(",")})
            return [f"{name} ({locations[name]})" if name in locations else name for name in names]
    return []
