"""The files of an ONNX artifact, one for each signature: their operators, and names in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

OPSET = 18  # the version of the operators
SUFFIX = ".onnx"
OTHER = "custom:"  # begins the names of operators that are not ONNX's own
TAKEN = "output_"


def onnx_files(folder: str | Path) -> dict[str, Path]:
    """The files in a folder by the name of their signature."""
    files = sorted(Path(folder).glob(f"*{SUFFIX}"))
    return {file.name.removesuffix(SUFFIX): file for file in files}


def output_names(inputs: Iterable[str], outputs: Iterable[str]) -> dict[str, str]:
    """What the outputs of a signature are called in a file, where no two tensors share a name.

    Args:
        inputs: The names of its inputs.
        outputs: The names of its outputs.

    Raises:
        ValueError: If two would have one name.

    Example:
        >>> output_names(["token_ids"], ["token_ids", "score"])
        {'token_ids': 'output_token_ids', 'score': 'score'}
    """
    longer = {name: own for own, name in own_names(inputs).items()}
    odd = [name for name in outputs if name in longer.values()]
    if odd:  # it would be taken for another
        raise ValueError(f"an output must not be called '{odd[0]}' beside that input")
    return {name: longer.get(name, name) for name in outputs}


def own_names(inputs: Iterable[str]) -> dict[str, str]:
    """The other way round: the names of outputs in a signature by those in its file.

    Example:
        >>> own_names(["token_ids"])
        {'output_token_ids': 'token_ids'}
    """
    return {f"{TAKEN}{name}": name for name in inputs}


def onnx_operators(folder: str | Path) -> dict[str, int]:
    """The count of each operator in the files of a folder; not ONNX's own are `custom:<name>`.

    Raises:
        ValueError: If there is no file, or one has weights in another file.
    """
    counts: Counter[str] = Counter()
    for file in onnx_files(folder).values():
        counts.update(name for name, _ in operators_in(file.read_bytes(), file.name))
    if not counts:
        raise ValueError(f"there is no {SUFFIX} file with an operator")
    return dict(sorted(counts.items()))


def operators_in(content: bytes, file: str) -> list[tuple[str, str]]:
    """The operator and the name of each node of a file.

    Args:
        content: The file.
        file: Its name, for errors.

    Raises:
        ValueError: If it has weights in another file.
    """
    import onnx

    operators = []
    for each in parts_of(onnx.load_from_string(content)):
        if isinstance(each, onnx.NodeProto):
            own = each.domain in ("", "ai.onnx") and onnx.defs.has(each.op_type)
            name = each.op_type if own else ".".join(filter(None, (each.domain, each.op_type)))
            operators.append((name if own else f"{OTHER}{name}", each.name))
        elif isinstance(each, onnx.TensorProto) and (each.external_data or each.data_location):
            raise ValueError(f"{file} reads weights from another file")
    return operators


def parts_of(message: Any) -> Iterator[Any]:
    """A message of Protocol Buffers, and all that it contains: also loops, branches, functions."""
    yield message
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for each in [value] if hasattr(value, "ListFields") else value:
                yield from parts_of(each)
