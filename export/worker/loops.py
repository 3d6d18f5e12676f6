"""Outputs that runtimes of fixed shapes cannot fill."""

from __future__ import annotations

from typing import Any


def outputs_of_dynamic_loops(content: bytes) -> list[str]:
    """The outputs of a LiteRT file that come out of a loop with tensors of dynamic shape inside.

    The interpreter decides the shape of all results of such a loop while it runs. `CompiledModel`,
    LiteRT in C and LiteRT.js allocate outputs before: they leave these zero, or fail.

    Args:
        content: The content of the file.

    Returns:
        Their names, each after that of its signature.
    """
    from ai_edge_litert import schema_py_generated as schema

    model = schema.ModelT.InitFromPackedBuf(content, 0)
    outputs = []
    for signature in model.signatureDefs or ():
        graph = model.subgraphs[signature.subgraphIndex]
        open_ended = {
            index
            for operator in graph.operators or ()
            if any(_is_dynamic(model, inner) for inner in _subgraphs(operator))
            for index in operator.outputs
        }
        outputs += [
            f"{signature.signatureKey.decode()}: {output.name.decode()}"
            for output in signature.outputs
            if output.tensorIndex in open_ended
        ]
    return outputs


def _is_dynamic(model: Any, number: int) -> bool:
    """Whether a subgraph, or a loop in it, has a tensor of dynamic shape."""
    graph = model.subgraphs[number]
    if any(tensor.shapeSignature is not None for tensor in graph.tensors):
        return True
    inner = (index for each in graph.operators or () for index in _subgraphs(each))
    return any(_is_dynamic(model, each) for each in inner)


def _subgraphs(operator: Any) -> tuple[int, ...]:
    """The numbers of the subgraphs of a loop; none of other operators."""
    options = operator.builtinOptions
    if not hasattr(options, "bodySubgraphIndex"):
        return ()
    return options.condSubgraphIndex, options.bodySubgraphIndex
