"""The operators of an artifact: their counts, forbidden ones, and weights kept twice."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

from .allowed import ALLOWED, RESTORING, SAVING
from .saver import weight_operators

GRAPH = "saved_model.pb"
COMPILED = "_XlaMustCompile"
OF_WEIGHTS = " of weights"
KNOWN = ALLOWED | {f"{name}{OF_WEIGHTS}" for name in SAVING | RESTORING}
# Custom operators that tensorflow-text registers with a LiteRT interpreter; the others of
# its operators carry the prefix.
TEXT_PREFIX = "TFText>"
TEXT = ("FastWordpieceTokenizeWithOffsets", "FastBertNormalize", "RaggedTensorToTensor")
# Smaller buffers may be equal by chance, such as shapes, scalars and rows of zeros.
LARGE = 16 * 1024


def saved_model_operators(path: str | Path) -> dict[str, int]:
    """The count of each operator of the SavedModel in the folder `path`, with its functions.

    A function that XLA has to compile counts as the operator `_XlaMustCompile`. Operators on files
    with which nothing but the saver saves or restores weights end in " of weights".
    """
    from tensorflow.core.protobuf import saved_model_pb2

    others = [file.name for file in Path(path).glob("saved_model.*") if file.name != GRAPH]
    if others:
        raise ValueError(f"{others[0]} may be loaded in place of {GRAPH}")
    saved = saved_model_pb2.SavedModel()
    saved.ParseFromString((Path(path) / GRAPH).read_bytes())
    counts: Counter[str] = Counter()
    for meta in saved.meta_graphs:
        functions = meta.graph_def.library.function
        counts[COMPILED] += sum(each.attr[COMPILED].b for each in functions)
        counts.update(node.op for node in meta.graph_def.node)
        on_files = weight_operators(meta)
        for each in functions:
            of_weights = on_files.get(each.signature.name, ())
            counts.update(
                f"{node.op}{OF_WEIGHTS}" if node.op in of_weights else node.op
                for node in each.node_def
            )
    return dict(sorted((+counts).items()))


def litert_operators(content: bytes) -> dict[str, int]:
    """The count of each operator of a LiteRT file; custom ones are `custom:<name>`.

    Raises:
        ValueError: If it names other files, from which a runtime would read its weights.
    """
    from ai_edge_litert import schema_py_generated as schema

    builtin = {code: name for name, code in vars(schema.BuiltinOperator).items() if name.isupper()}
    model = schema.Model.GetRootAs(content, 0)
    if named := _other_files(model):
        raise ValueError(f"it reads weights from another file: {named[:80]!r}")
    names = []
    for index in range(model.OperatorCodesLength()):
        code = model.OperatorCodes(index)
        number = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
        custom = number == schema.BuiltinOperator.CUSTOM
        names.append(f"custom:{code.CustomCode().decode()}" if custom else builtin[number])
    counts: Counter[str] = Counter()
    for index in range(model.SubgraphsLength()):
        graph = model.Subgraphs(index)
        counts.update(
            names[graph.Operators(number).OpcodeIndex()]
            for number in range(graph.OperatorsLength())
        )
    return dict(sorted(counts.items()))


def refused(operators: dict[str, int], kind: str, *, strings: bool, xla: bool) -> list[str]:
    """The operators that are not allowed in an artifact.

    Args:
        operators: Its operators.
        kind: Its format: "saved_model", "litert" or "onnx".
        strings: Whether it may contain operators of tensorflow-text.
        xla: Whether it may contain functions that XLA compiles.

    Example:
        >>> refused({"ADD": 3, "custom:FlexErf": 1}, "litert", strings=False, xla=False)
        ['custom:FlexErf']
    """
    if kind == "saved_model":
        return [name for name in operators if not _is_allowed(name, strings, xla)]
    custom = [name for name in operators if name.startswith("custom:")]
    return [name for name in custom if not (strings and _is_text(name.removeprefix("custom:")))]


def _is_allowed(name: str, strings: bool, xla: bool) -> bool:
    if name == COMPILED:
        return xla
    return name in KNOWN or (strings and _is_text(name))


def _is_text(name: str) -> bool:
    return name in TEXT or name.startswith(TEXT_PREFIX)


def _other_files(model: Any) -> str:
    """The names of other files with weights in a model, of which `CompiledModel` reads; or ""."""
    groups = [
        model.ExternalBufferGroups(index) for index in range(model.ExternalBufferGroupsLength())
    ]
    names = ", ".join((group.Name() or b"").decode(errors="replace") or "?" for group in groups)
    graphs = [model.Subgraphs(index) for index in range(model.SubgraphsLength())]
    read = model.ExternalBuffersLength() or any(
        graph.Tensors(index).ExternalBuffer()
        for graph in graphs
        for index in range(graph.TensorsLength())
    )
    return names or ("?" if read else "")


def bytes_kept_twice(content: bytes) -> int:
    """How many bytes of a LiteRT file repeat another buffer of it."""
    from ai_edge_litert import schema_py_generated as schema

    model = schema.Model.GetRootAs(content, 0)
    seen, twice = set(), 0
    for index in range(model.BuffersLength()):
        data = model.Buffers(index).DataAsNumpy()
        if isinstance(data, int) or data.nbytes < LARGE:  # 0 stands for an empty buffer
            continue
        digest = hashlib.sha256(data).digest()
        twice += data.nbytes if digest in seen else 0
        seen.add(digest)
    return twice
