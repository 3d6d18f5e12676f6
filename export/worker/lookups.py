"""Lookups of embeddings in quantized tables with a scale for each row.

The converter reads an embedding with GATHER. No quantizer gives it a scale for each row, and so a
table that is also the projection to the vocabulary was stored twice. EMBEDDING_LOOKUP shares the
tensor of the projection. It takes ids of one axis only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .litert_model import (
    add_constant,
    add_tensor,
    code_of,
    new_operator,
    read_model,
    type_of,
    write_model,
)


def with_lookups(content: bytes) -> bytes:
    """A float32 file whose embeddings are read with EMBEDDING_LOOKUP."""
    model = read_model(content)
    for graph, operator in _gathers(model):
        table = graph.tensors[operator.inputs[0]]
        if type_of(table) == "FLOAT32":
            _replace(model, graph, operator, operator.inputs[0], operator.outputs[0])
    return write_model(model)


def with_shared_tables(content: bytes) -> bytes:
    """A file of the converter's int8, in which a projection and its embedding share a tensor."""
    model = read_model(content)
    for graph, operator in _gathers(model):
        table = graph.tensors[operator.inputs[0]]
        readers = [x for x in graph.operators if operator.outputs[0] in list(x.inputs)]
        is_read = len(readers) == 1 and code_of(model, readers[0]) == "DEQUANTIZE"
        shared = _same_by_rows(model, table) if type_of(table) == "INT8" and is_read else None
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
            if of_rows and constant and type_of(ids) == "INT32" and len(ids.shape) > 0:
                yield graph, operator


def _same_by_rows(model: Any, table: Any) -> Any:
    """A tensor with a scale for each row, whose numbers are those of a table; None without one."""
    import copy

    numbers = _numbers(model, table)
    for tensor in (x for graph in model.subgraphs for x in graph.tensors):
        quantization = tensor.quantization
        if type_of(tensor) != "INT8" or list(tensor.shape) != list(table.shape) or not quantization:
            continue
        if (
            quantization.scale is None
            or len(quantization.scale) != table.shape[0]
            or quantization.quantizedDimension
        ):
            continue
        step = np.asarray(quantization.scale)[:, None] + table.quantization.scale[0]
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
    flat = add_tensor(graph, f"{name}/ids", [1], schema.TensorType.INT32, signature=[-1])
    rows = add_tensor(graph, f"{name}/rows", [1, width], schema.TensorType.FLOAT32, [-1, width])
    one_axis = add_constant(model, graph, f"{name}/one_axis", np.array([-1], "int32"))
    steps = [
        new_operator(model, "RESHAPE", [ids, one_axis], flat, "ReshapeOptionsT"),
        new_operator(model, "EMBEDDING_LOOKUP", [flat, table], rows),
    ]
    if result.shapeSignature is None or -1 not in list(result.shapeSignature):
        shape = add_constant(model, graph, f"{name}/shape", np.array(result.shape, "int32"))
    else:
        rank = len(graph.tensors[ids].shape)
        known = add_tensor(graph, f"{name}/of_ids", [rank], schema.TensorType.INT32)
        shape = add_tensor(graph, f"{name}/shape", [rank + 1], schema.TensorType.INT32)
        last = add_constant(model, graph, f"{name}/width", np.array([width], "int32"))
        steps += [
            new_operator(model, "SHAPE", [ids], known, "ShapeOptionsT"),
            new_operator(model, "CONCATENATION", [known, last], shape, "ConcatenationOptionsT"),
        ]
        steps[-2].builtinOptions.outType = schema.TensorType.INT32
    steps.append(new_operator(model, "RESHAPE", [rows, shape], output, "ReshapeOptionsT"))
    index = next(i for i, each in enumerate(graph.operators) if each is operator)
    graph.operators[index : index + 1] = steps
