"""The conversion of a SavedModel to ONNX, a file for each signature."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .messages import one_line
from .onnx_files import OPSET, OTHER, SUFFIX, operators_in, output_names, parts_of
from .side_by_side import side_by_side

LARGEST = 2**31  # bytes of a file


def main(job: dict) -> dict:
    """Converts a SavedModel.

    Args:
        job: "saved_model", its folder; "folder", where the files are written; and "signatures": of
            each, under "inputs" and "outputs", the axes of each tensor by its name, in order.

    Returns:
        Nothing, or if it failed "error", a message.
    """
    parts = [{**job, "signatures": {name: x}} for name, x in job["signatures"].items()]
    return next(filter(None, side_by_side(_written, parts)), {})


def _written(job: dict) -> dict:
    """The same for one signature."""
    import tensorflow as tf

    ((name, sides),) = job["signatures"].items()
    loaded = tf.saved_model.load(job["saved_model"])  # which keeps its variables
    try:
        content = _converted(tf, loaded.signatures[name], sides)
        lacking = _lacking(content)
    except Exception as error:
        return {"error": f"{name}: {one_line(error)}"}
    if lacking:
        return {"error": f"ONNX has no operator for: {', '.join(lacking)}"}
    (Path(job["folder"]) / f"{name}{SUFFIX}").write_bytes(content)
    return {}


def _converted(tf: Any, signature: Any, sides: dict[str, dict[str, Any]]) -> bytes:
    """The content of the file of a signature."""
    # Else the graph is copied before each of dozens of steps, which takes most of the time.
    os.environ["TF2ONNX_CATCH_ERRORS"] = "FALSE"
    from onnx.numpy_helper import from_array
    from tf2onnx.convert import from_function

    from . import onnx_handlers  # noqa: F401  registers them

    specs, names = signature.structured_input_signature[1], output_names(**sides)

    def call(*tensors: Any) -> dict[str, Any]:
        outputs = signature(**dict(zip(sides["inputs"], tensors, strict=True)))
        return {names[name]: tensor for name, tensor in outputs.items()}

    function, given = tf.function(call, autograph=False), [specs[x] for x in sides["inputs"]]
    model, _ = from_function(function, given, opset=OPSET)
    graph = model.graph
    for outside, inside in function.get_concrete_function(*given).graph.captures:
        if outside.dtype != tf.resource:  # tf2onnx takes a constant of a SavedModel for an input
            graph.initializer.append(from_array(outside.numpy(), inside.name))
    own = {names[name]: axes for name, axes in sides["outputs"].items()}
    for values, wanted in ((graph.input, sides["inputs"]), (graph.output, own)):
        tensors = {tensor.name: tensor for tensor in values}
        del values[:]
        for name, axes in wanted.items():
            _name_axes(tensors[name], axes)
            values.append(tensors[name])
    _keep_empty(graph)
    if model.ByteSize() >= LARGEST:
        raise ValueError("an ONNX file holds at most 2 GB")
    return model.SerializeToString()


def _keep_empty(graph: Any) -> None:
    """Lets tensors get a computed shape with a 0 in it, which ONNX else takes for the old size."""
    from onnx import NodeProto, TensorProto
    from onnx.helper import make_attribute

    parts = list(parts_of(graph))
    constant = {each.name for each in parts if isinstance(each, TensorProto)}
    for node in parts:
        if isinstance(node, NodeProto) and node.op_type == "Reshape":
            if node.input[1] not in constant:
                node.attribute.append(make_attribute("allowzero", 1))


def _name_axes(tensor: Any, axes: list[Any] | None) -> None:
    """Gives the axes of any size the names that they have in the signature."""
    dims = tensor.type.tensor_type.shape.dim
    for index, (axis, dim) in enumerate(zip(axes or [], dims, strict=False)):
        if not dim.HasField("dim_value"):
            dim.dim_param = axis if isinstance(axis, str) else f"{tensor.name}_{index}"


def _lacking(content: bytes) -> list[str]:
    """The operators of TensorFlow that are left, each with the first node that has it."""
    operators: dict[str, str] = {}
    for operator, location in operators_in(content, "it"):
        if operator.startswith(OTHER):
            operators.setdefault(operator.removeprefix(OTHER), location)
    return [f"{name} ({_layer(location)})" for name, location in operators.items()]


def _layer(location: str) -> str:
    """The name of a node without the functions that it was in."""
    parts = [
        part for part in location.split("/") if not part.startswith(("Partitioned", "Stateful"))
    ]
    return "/".join(parts)
