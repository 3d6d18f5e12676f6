"""Operators of TensorFlow that tf2onnx lacks, or converts wrongly; the import registers them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import TensorProto
from tf2onnx import utils
from tf2onnx.handler import tf_op
from tf2onnx.optimizer.back_to_back_optimizer import _register_func as back_to_back


@tf_op("XlaDynamicUpdateSlice")
class DynamicUpdateSlice:
    """Overwrites a part of a tensor, which begins at a given index: `keras.ops.slice_update`.

    The rows to write are numbered along the axes up to the last one that is not written whole.
    """

    @classmethod
    def version_18(cls, ctx: Any, node: Any, **kwargs: Any) -> None:
        """From opset 18."""
        data, update, start = node.input[:3]
        written = _written_axes(ctx.get_shape(data), ctx.get_shape(update))
        make = _Maker(ctx)
        sizes, whole = (
            make("Slice", make("Shape", x), make.const([0]), make.const([written]))
            for x in (update, data)
        )
        first = make(
            "Slice",
            make("Cast", start, to=TensorProto.INT64),
            make.const([0]),
            make.const([written]),
        )
        first = make("Max", make("Min", first, make("Sub", whole, sizes)), make.const([0]))
        grid = make("Concat", sizes, make.const([1]), axis=0)
        parts = []
        for axis in range(written):
            begin, size = (make("Gather", x, make.const(axis)) for x in (first, sizes))
            along = make("Range", begin, make("Add", begin, size), make.const(1))
            shape = [-1 if each == axis else 1 for each in range(written + 1)]
            parts.append(make("Expand", make("Reshape", along, make.const(shape)), grid))
        indices = make("Concat", *parts, axis=written)
        _replace(ctx, node, "ScatterND", [data, indices, update])


@tf_op("Erfc")
class Erfc:
    """1 - erf(x), of the exact GELU."""

    @classmethod
    def version_18(cls, ctx: Any, node: Any, **kwargs: Any) -> None:
        """From opset 18."""
        make = _Maker(ctx)
        dtype = utils.map_onnx_to_numpy_type(ctx.get_dtype(node.input[0]))
        _replace(ctx, node, "Sub", [make.const(1, dtype), make("Erf", node.input[0])])


@tf_op("SelectV2")
class Select:
    """`where`, also of NaN and infinity: tf2onnx multiplies by 0 what is not chosen."""

    @classmethod
    def version_18(cls, ctx: Any, node: Any, **kwargs: Any) -> None:
        """From opset 18."""
        make, (condition, *values) = _Maker(ctx), node.input
        if ctx.get_dtype(node.output[0]) != TensorProto.BOOL:
            _replace(ctx, node, "Where", [condition, *values])
            return
        chosen = make("Where", condition, *(make("Cast", x, to=TensorProto.INT32) for x in values))
        _replace(ctx, node, "Cast", [chosen], to=TensorProto.BOOL)  # ONNX Runtime has no such Where


@back_to_back("Reshape")
def merge_reshapes(graph: Any, node: Any, consumers: Sequence[Any]) -> list[Any]:
    """Leaves out the first of two reshapes, unless the second copies sizes from it.

    A 0 in a shape stands for the size of the input; tf2onnx would take that of another input.
    """
    if len(consumers) == 1 and consumers[0].type == "Reshape":
        (after,) = consumers
        shape = after.inputs[1]
        if not (shape.is_const() and 0 in shape.get_tensor_value(as_list=False)):
            graph.replace_inputs(after, [node.input[0], after.input[1]])
            graph.remove_node(node.name)
    return []


class _Maker:
    """Makes nodes of a graph; each call returns the name of the one output."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph

    def __call__(self, operator: str, *inputs: str, **attributes: Any) -> str:
        return self._graph.make_node(operator, [*inputs], attr=attributes).output[0]

    def const(self, value: Any, dtype: Any = np.int64) -> str:
        """A constant."""
        return self._graph.make_const(utils.make_name("const"), np.array(value, dtype)).output[0]


def _written_axes(data: Sequence[int] | None, update: Sequence[int] | None) -> int:
    """How many axes there are up to the last one that is not known to be written whole."""
    known = data if data is not None else update
    if known is None:
        raise ValueError("the rank of a tensor that is updated must be known.")
    if data is None or update is None:
        return len(known)
    sizes = enumerate(zip(data, update, strict=True))
    return max([axis + 1 for axis, (all_, part) in sizes if all_ != part or part < 0], default=1)


def _replace(ctx: Any, node: Any, operator: str, inputs: list[str], **attributes: Any) -> None:
    """Another operator takes the place of a node, with its outputs."""
    name, outputs = node.name, node.output
    known = {"shapes": [ctx.get_shape(outputs[0])], "dtypes": [ctx.get_dtype(outputs[0])]}
    ctx.remove_node(name)
    ctx.make_node(operator, inputs, attr=attributes, name=name, outputs=outputs, **known)
