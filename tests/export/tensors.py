"""The tensors of a LiteRT file."""

from ai_edge_litert import schema_py_generated as schema


def dynamic_tensors(content: bytes) -> list[str]:
    """The names of the tensors without a fixed shape, in all subgraphs."""
    model = schema.ModelT.InitFromPackedBuf(content, 0)
    tensors = [tensor for graph in model.subgraphs for tensor in graph.tensors]
    return [x.name.decode() for x in tensors if x.shapeSignature is not None]
