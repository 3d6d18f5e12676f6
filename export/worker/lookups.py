"""Read rows of embeddings with the operator that takes quantized tables with a scale for each row.

The converter reads an embedding with GATHER. No quantizer gives it a scale for each row, and so a
table that is also the projection to the vocabulary was stored twice. EMBEDDING_LOOKUP shares the
tensor of the projection. It takes ids of one axis only.
"""

from __future__ import annotations

from collections.abc import Iterator
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
        for place, tensor in enumerate(graph.tensors):
            if place not in used:
                tensor.buffer, tensor.quantization = 0, None
            read.add(tensor.buffer)
    read.update(each.buffer for each in model.metadata or ())
    places: dict[bytes, int] = {}
    own = [
        place if buffer.data is None else places.setdefault(bytes(buffer.data), place)
        for place, buffer in enumerate(model.buffers)
    ]
    for graph in model.subgraphs:
        for tensor in graph.tensors:
            tensor.buffer = own[tensor.buffer]
    for place, buffer in enumerate(model.buffers):
        if own[place] != place or place not in read:
            buffer.data = None
        elif buffer.data is not None:  # an array is packed at once, and bytes are one by one
            buffer.data = np.frombuffer(bytes(buffer.data), "uint8")
    return bytes(flatbuffer_utils.convert_object_to_bytearray(model))


def with_lookups(content: bytes) -> bytes:
    """A float32 file whose embeddings are read with EMBEDDING_LOOKUP."""
    model = read_model(content)
    for graph, operator in _gathers(model):
        table = graph.tensors[operator.inputs[0]]
        if _type(table) == "FLOAT32":
            _replace(model, graph, operator, operator.inputs[0], operator.outputs[0])
    return write_model(model)


def with_shared_tables(content: bytes) -> bytes:
    """A file of the converter's int8, in which a projection and its embedding share a tensor."""
    model = read_model(content)
    for graph, operator in _gathers(model):
        table = graph.tensors[operator.inputs[0]]
        readers = [x for x in graph.operators if operator.outputs[0] in list(x.inputs)]
        is_read = len(readers) == 1 and code_of(model, readers[0]) == "DEQUANTIZE"
        shared = _same_by_rows(model, table) if _type(table) == "INT8" and is_read else None
        if shared is not None:
            graph.tensors.append(shared)
            _replace(model, graph, operator, len(graph.tensors) - 1, readers[0].outputs[0])
            graph.operators.remove(readers[0])
    return write_model(model)


def _gathers(model: Any) -> Iterator[tuple[Any, Any]]:
    """Each operator that reads rows of a constant matrix, with its graph."""
    for graph in model.subgraphs:
        for operator in list(graph.operators):
            if code_of(model, operator) != "GATHER":
                continue
            options, (table, ids, *_) = operator.builtinOptions, operator.inputs
            table, ids = graph.tensors[table], graph.tensors[ids]
            of_rows = options is None or (options.axis == 0 and options.batchDims == 0)
            constant = model.buffers[table.buffer].data is not None and len(table.shape) == 2
            if of_rows and constant and _type(ids) == "INT32" and len(ids.shape) > 0:
                yield graph, operator


def _same_by_rows(model: Any, table: Any) -> Any:
    """A tensor with a scale for each row, whose numbers are those of a table; None without one."""
    import copy

    numbers = _numbers(model, table)
    for tensor in (x for graph in model.subgraphs for x in graph.tensors):
        found = tensor.quantization
        if _type(tensor) != "INT8" or list(tensor.shape) != list(table.shape) or not found:
            continue
        if found.scale is None or len(found.scale) != table.shape[0] or found.quantizedDimension:
            continue
        step = np.asarray(found.scale)[:, None] + table.quantization.scale[0]
        # Both are roundings of the same numbers.
        if (np.abs(_numbers(model, tensor) - numbers) <= 0.51 * step).all():
            return copy.copy(tensor)
    return None


def _numbers(model: Any, tensor: Any) -> np.ndarray:
    data = np.frombuffer(bytes(model.buffers[tensor.buffer].data), "int8").reshape(tensor.shape)
    scale, zero = (
        np.asarray(x) for x in (tensor.quantization.scale, tensor.quantization.zeroPoint)
    )
    shape = (-1, 1) if len(scale) > 1 else ()
    return (data.astype("float32") - zero.reshape(shape)) * scale.reshape(shape)


def _replace(model: Any, graph: Any, operator: Any, table: int, output: int) -> None:
    """Puts a lookup, with what it needs before and behind it, in the place of an operator."""
    from ai_edge_litert import schema_py_generated as schema

    ids, width = operator.inputs[1], graph.tensors[table].shape[1]
    result = graph.tensors[output]
    name = result.name.decode()
    flat = _tensor(graph, f"{name}/ids", [1], schema.TensorType.INT32, signature=[-1])
    rows = _tensor(graph, f"{name}/rows", [1, width], schema.TensorType.FLOAT32, [-1, width])
    one_axis = _constant(model, graph, f"{name}/one_axis", [-1])
    steps = [
        _operator(model, "RESHAPE", [ids, one_axis], flat, "ReshapeOptionsT"),
        _operator(model, "EMBEDDING_LOOKUP", [flat, table], rows),
    ]
    if result.shapeSignature is None or -1 not in list(result.shapeSignature):
        shape = _constant(model, graph, f"{name}/shape", list(result.shape))
    else:
        rank = len(graph.tensors[ids].shape)
        known = _tensor(graph, f"{name}/of_ids", [rank], schema.TensorType.INT32)
        shape = _tensor(graph, f"{name}/shape", [rank + 1], schema.TensorType.INT32)
        last = _constant(model, graph, f"{name}/width", [width])
        steps += [
            _operator(model, "SHAPE", [ids], known, "ShapeOptionsT"),
            _operator(model, "CONCATENATION", [known, last], shape, "ConcatenationOptionsT"),
        ]
        steps[-2].builtinOptions.outType = schema.TensorType.INT32
    steps.append(_operator(model, "RESHAPE", [rows, shape], output, "ReshapeOptionsT"))
    place = next(i for i, each in enumerate(graph.operators) if each is operator)
    graph.operators[place : place + 1] = steps


def _tensor(graph: Any, name: str, shape: list, kind: int, signature: list | None = None) -> int:
    from ai_edge_litert import schema_py_generated as schema

    tensor = schema.TensorT()
    tensor.name, tensor.shape, tensor.type, tensor.buffer = name.encode(), shape, kind, 0
    tensor.shapeSignature, tensor.hasRank = signature, True
    graph.tensors.append(tensor)
    return len(graph.tensors) - 1


def _constant(model: Any, graph: Any, name: str, values: list[int]) -> int:
    from ai_edge_litert import schema_py_generated as schema

    buffer = schema.BufferT()
    buffer.data = np.frombuffer(np.array(values, "int32").tobytes(), "uint8")
    model.buffers.append(buffer)
    place = _tensor(graph, name, [len(values)], schema.TensorType.INT32)
    graph.tensors[place].buffer = len(model.buffers) - 1
    return place


def _operator(model: Any, code: str, inputs: list[int], output: int, options: str = "") -> Any:
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
    for place, each in enumerate(model.operatorCodes):
        if max(each.builtinCode, each.deprecatedBuiltinCode) == number:
            return place
    new = schema.OperatorCodeT()
    new.builtinCode, new.deprecatedBuiltinCode, new.version = number, min(number, 127), 1
    model.operatorCodes.append(new)
    return len(model.operatorCodes) - 1


def code_of(model: Any, operator: Any) -> str:
    """The name of an operator, such as GATHER."""
    from ai_edge_litert import schema_py_generated as schema

    each = model.operatorCodes[operator.opcodeIndex]
    return _name(schema.BuiltinOperator, max(each.builtinCode, each.deprecatedBuiltinCode))


def _type(tensor: Any) -> str:
    from ai_edge_litert import schema_py_generated as schema

    return _name(schema.TensorType, tensor.type)


def _name(names: Any, number: int) -> str:
    return next(name for name, each in vars(names).items() if name.isupper() and each == number)
