"""Count the operators of an artifact, find those that are not allowed and weights kept twice."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

# Operators that call back into the Python process that made them.
PYTHON = ("PyFunc", "PyFuncStateless", "EagerPyFunc")
COMPILED = "_XlaMustCompile"
# Custom operators that tensorflow-text registers with a LiteRT interpreter; the others of
# its operators carry the prefix.
TEXT_PREFIX = "TFText>"
TEXT = ("FastWordpieceTokenizeWithOffsets", "FastBertNormalize", "RaggedTensorToTensor")
# Smaller buffers may be equal by chance, such as shapes, scalars and rows of zeros.
LARGE = 16 * 1024


def saved_model_operators(path: str | Path) -> dict[str, int]:
    """The count of each operator of the SavedModel in the folder `path`, with its functions.

    A function that XLA has to compile counts as the operator `_XlaMustCompile`.
    """
    from tensorflow.core.protobuf import saved_model_pb2

    saved = saved_model_pb2.SavedModel()
    saved.ParseFromString((Path(path) / "saved_model.pb").read_bytes())
    counts: Counter[str] = Counter()
    for meta in saved.meta_graphs:
        functions = meta.graph_def.library.function
        own = {function.signature.name for function in functions}
        counts[COMPILED] += sum(function.attr[COMPILED].b for function in functions)
        for nodes in (meta.graph_def.node, *(function.node_def for function in functions)):
            counts.update(node.op for node in nodes if node.op not in own)
    return dict(sorted((+counts).items()))


def litert_operators(path: str | Path) -> dict[str, int]:
    """The count of each operator of the LiteRT file `path`; custom ones are `custom:<name>`."""
    from ai_edge_litert import schema_py_generated as schema

    builtin = {code: name for name, code in vars(schema.BuiltinOperator).items() if name.isupper()}
    model = schema.Model.GetRootAs(Path(path).read_bytes(), 0)
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
            names[graph.Operators(place).OpcodeIndex()] for place in range(graph.OperatorsLength())
        )
    return dict(sorted(counts.items()))


def refused(operators: dict[str, int], *, litert: bool, strings: bool, xla: bool) -> list[str]:
    """The operators that are not allowed in an artifact.

    Args:
        operators: Its operators.
        litert: Whether it is a LiteRT file rather than a SavedModel.
        strings: Whether it may contain operators of tensorflow-text.
        xla: Whether it may contain functions that XLA compiles.

    Example:
        >>> refused({"ADD": 3, "custom:FlexErf": 1}, litert=True, strings=False, xla=False)
        ['custom:FlexErf']
    """
    if not litert:
        return [name for name in operators if name in PYTHON or (name == COMPILED and not xla)]
    custom = [name for name in operators if name.startswith("custom:")]
    text = tuple(f"custom:{name}" for name in TEXT)
    return [
        name
        for name in custom
        if not (strings and (name in text or name.startswith(f"custom:{TEXT_PREFIX}")))
    ]


def bytes_kept_twice(path: str | Path) -> int:
    """How many bytes of the LiteRT file `path` repeat another buffer of it."""
    from ai_edge_litert import schema_py_generated as schema

    model = schema.Model.GetRootAs(Path(path).read_bytes(), 0)
    seen, twice = set(), 0
    for index in range(model.BuffersLength()):
        data = model.Buffers(index).DataAsNumpy()
        if isinstance(data, int) or data.nbytes < LARGE:  # 0 stands for an empty buffer
            continue
        digest = hashlib.sha256(data).digest()
        twice += data.nbytes if digest in seen else 0
        seen.add(digest)
    return twice
