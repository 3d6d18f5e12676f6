"""A check that a LiteRT file stores weights in fewer bits, whatever its manifest says."""

from __future__ import annotations

from .precisions import PRECISIONS

TYPES = {
    16: ("FLOAT16",),
    8: ("INT8",),
    4: ("INT4", "INT8"),
}  # by bits; see `export.worker.recipes`


def holds(content: bytes, kind: str) -> bool:
    """Whether a LiteRT file has constants of a kind of quantization, a key of `PRECISIONS`."""
    return any(has_constants(content, type) for type in TYPES[PRECISIONS[kind].bits])


def has_constants(content: bytes, type: str) -> bool:
    """Whether the content of a LiteRT file has constants of a type of its schema, such as INT8."""
    from ai_edge_litert import schema_py_generated as schema

    model = schema.Model.GetRootAs(content, 0)
    wanted = getattr(schema.TensorType, type)
    graphs = [model.Subgraphs(index) for index in range(model.SubgraphsLength())]
    return any(
        tensor.Type() == wanted and model.Buffers(tensor.Buffer()).DataLength()
        for graph in graphs
        for tensor in map(graph.Tensors, range(graph.TensorsLength()))
    )
