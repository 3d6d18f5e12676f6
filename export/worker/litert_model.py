"""The model in a LiteRT file as an object: read, extend and write it."""

from __future__ import annotations

from typing import Any

import numpy as np


def read_model(content: bytes) -> Any:
    """The model in a LiteRT file as an object, with all its buffers inside."""
    from ai_edge_litert.tools import flatbuffer_utils

    return flatbuffer_utils.read_model_from_bytearray(content)


def write_model(model: Any) -> bytes:
    """The content of the LiteRT file of a model.

    Equal buffers become one, and those that no operator reads are left out.
    """
    from ai_edge_litert.tools import flatbuffer_utils

    read = set()
    for graph in model.subgraphs:
        used = {*graph.inputs, *graph.outputs}
        used.update(x for each in graph.operators for x in (*each.inputs, *each.outputs))
        blocks = [getattr(each.quantization, "details", None) for each in graph.tensors]
        used.update(x for each in blocks if each for x in (each.scales, each.zeroPoints))
        for index, tensor in enumerate(graph.tensors):
            if index not in used:
                tensor.buffer, tensor.quantization = 0, None
            read.add(tensor.buffer)
    read.update(each.buffer for each in model.metadata or ())
    first_with: dict[bytes, int] = {}
    own = [
        index if buffer.data is None else first_with.setdefault(bytes(buffer.data), index)
        for index, buffer in enumerate(model.buffers)
    ]
    for graph in model.subgraphs:
        for tensor in graph.tensors:
            tensor.buffer = own[tensor.buffer]
    for index, buffer in enumerate(model.buffers):
        if own[index] != index or index not in read:
            buffer.data = None
        elif buffer.data is not None:  # an array is packed at once, and bytes are one by one
            buffer.data = np.frombuffer(bytes(buffer.data), "uint8")
    return bytes(flatbuffer_utils.convert_object_to_bytearray(model))


def code_of(model: Any, operator: Any) -> str:
    """The name of an operator, such as GATHER."""
    from ai_edge_litert import schema_py_generated as schema

    each = model.operatorCodes[operator.opcodeIndex]
    return _name(schema.BuiltinOperator, max(each.builtinCode, each.deprecatedBuiltinCode))


def type_of(tensor: Any) -> str:
    """The name of the type of a tensor, such as FLOAT32."""
    from ai_edge_litert import schema_py_generated as schema

    return _name(schema.TensorType, tensor.type)


def add_tensor(graph: Any, name: str, shape: list, kind: int, signature: list | None = None) -> int:
    """Adds a tensor that is computed to a graph, and returns its place."""
    from ai_edge_litert import schema_py_generated as schema

    tensor = schema.TensorT()
    tensor.name, tensor.shape, tensor.type, tensor.buffer = name.encode(), shape, kind, 0
    tensor.shapeSignature, tensor.hasRank = signature, True
    graph.tensors.append(tensor)
    return len(graph.tensors) - 1


def add_constant(model: Any, graph: Any, name: str, values: np.ndarray) -> int:
    """Adds a constant tensor to a graph, and returns its index; its type is that of an array."""
    from ai_edge_litert import schema_py_generated as schema

    buffer = schema.BufferT()
    buffer.data = np.frombuffer(values.tobytes(), "uint8")
    model.buffers.append(buffer)
    kind = getattr(schema.TensorType, values.dtype.name.upper())
    index = add_tensor(graph, name, list(values.shape), kind)
    graph.tensors[index].buffer = len(model.buffers) - 1
    return index


def new_operator(model: Any, code: str, inputs: list[int], output: int, options: str = "") -> Any:
    """An operator to put into a graph.

    Args:
        model: The model, which lists the kinds of its operators.
        code: The name of the operator.
        inputs: The indices of its inputs.
        output: The index of its output.
        options: The class of its options.
    """
    from ai_edge_litert import schema_py_generated as schema

    operator = schema.OperatorT()
    operator.opcodeIndex = _code_index(model, code)
    operator.inputs, operator.outputs = inputs, [output]
    if options:
        kind = options.removesuffix("T")
        operator.builtinOptionsType = getattr(schema.BuiltinOptions, kind)
        operator.builtinOptions = getattr(schema, options)()
    return operator


def _code_index(model: Any, code: str) -> int:
    from ai_edge_litert import schema_py_generated as schema

    number = getattr(schema.BuiltinOperator, code)
    for index, each in enumerate(model.operatorCodes):
        if max(each.builtinCode, each.deprecatedBuiltinCode) == number:
            return index
    new = schema.OperatorCodeT()
    new.builtinCode, new.deprecatedBuiltinCode, new.version = number, min(number, 127), 1
    model.operatorCodes.append(new)
    return len(model.operatorCodes) - 1


def _name(names: Any, number: int) -> str:
    return next(name for name, each in vars(names).items() if name.isupper() and each == number)
