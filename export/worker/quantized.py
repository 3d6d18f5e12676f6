"""Whether a LiteRT file really stores weights in fewer bits, whatever its manifest says."""

from __future__ import annotations

from pathlib import Path

TYPES = {"float16": "FLOAT16", "int8": "INT8", "static_int8": "INT8"}


def holds(path: str | Path, kind: str) -> bool:
    """Whether a LiteRT file has constants of a kind of quantization, a key of `TYPES`."""
    from ai_edge_litert import schema_py_generated as schema

    model = schema.Model.GetRootAs(Path(path).read_bytes(), 0)
    wanted = getattr(schema.TensorType, TYPES[kind])
    graphs = [model.Subgraphs(place) for place in range(model.SubgraphsLength())]
    return any(
        tensor.Type() == wanted and model.Buffers(tensor.Buffer()).DataLength()
        for graph in graphs
        for tensor in map(graph.Tensors, range(graph.TensorsLength()))
    )
