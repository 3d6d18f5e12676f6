"""Quantization of a float32 LiteRT file by recipes of ai-edge-quantizer without calibration."""

from __future__ import annotations

import re
from typing import Any

from .litert_model import code_of, read_model, write_model
from .lookups import with_lookups
from .precisions import ALL, DYNAMIC, EMBEDDINGS, MISSING, PRECISIONS, SCOPES, Storage
from .quantized import has_constants


def quantized(content: bytes, storage: Storage) -> bytes:
    """The quantized file.

    What has no form of four bits in LiteRT, such as depthwise convolutions, is stored in eight.

    Args:
        content: The float32 file.
        storage: How to store which weights.

    Raises:
        ValueError: If ai-edge-quantizer is not installed, or no weights are in the scope.
    """
    try:
        from ai_edge_quantizer import quantizer
    except ImportError:
        raise ValueError(MISSING.format(storage.quantize)) from None
    content = with_lookups(content)
    converter = quantizer.Quantizer(content, _recipe(content, storage))
    done = converter.quantize(enable_progress_bar=False, enable_progress_report=False)
    model = read_model(done.quantized_model)
    kept = write_model(model)
    if storage.scope != ALL and not any(map(has_constants, (kept, kept), ("INT8", "INT4"))):
        raise ValueError(f"the model has no weights in the scope {storage.scope!r}")
    return kept


def _recipe(content: bytes, storage: Storage) -> Any:
    from ai_edge_quantizer import recipe_manager
    from ai_edge_quantizer.qtyping import QuantGranularity, TFLOperationName

    bits, how, block = PRECISIONS[storage.quantize or ""]
    rules = recipe_manager.RecipeManager()
    add = rules.add_dynamic_config if how == DYNAMIC else rules.add_weight_only_config
    scope = SCOPES[storage.scope]
    if storage.scope == EMBEDDINGS:
        scope = "|".join([scope, *(f"^{re.escape(name)}$" for name in _tied(content))])
    every = TFLOperationName.ALL_SUPPORTED
    # Of the rules that fit an operator, the last one holds that the package has for it.
    add(f"{scope}", every, 8)
    if bits < 8:
        add(f"(?:{scope})", every, bits)
    if block:
        granularity = QuantGranularity(f"BLOCKWISE_{block}")
        uneven = "|".join(map(re.escape, _uneven(content, block)))
        outside = f"^(?!(?:{uneven})$)" if uneven else "^"
        add(f"{outside}(?=.*(?:{scope}))", every, bits, granularity)
    if how == DYNAMIC:  # LiteRT multiplies batches of matrices with integers in some shapes only
        products = TFLOperationName.BATCH_MATMUL
        rules.add_weight_only_config(f"(?:(?:{scope}))", products, bits)
    return rules.get_quantization_recipe()


def _tied(content: bytes) -> list[str]:
    """The names of operators that read the table of an embedding, such as tied projections."""
    model = read_model(content)
    readers = [
        (scope_of(graph, operator), code_of(model, operator), graph.tensors[index].buffer)
        for graph in model.subgraphs
        for operator in graph.operators
        for index in operator.inputs
        if index >= 0 and model.buffers[graph.tensors[index].buffer].data is not None
    ]
    tables = {buffer for _, code, buffer in readers if code == "EMBEDDING_LOOKUP"}
    return sorted({name for name, _, buffer in readers if buffer in tables})


def _uneven(content: bytes, block: int) -> list[str]:
    """The names of operators with a matrix whose rows cannot be cut into blocks."""
    model = read_model(content)
    names: dict[str, None] = {}
    for graph in model.subgraphs:
        for operator in graph.operators:
            shapes = [
                graph.tensors[index].shape
                for index in operator.inputs
                if index >= 0 and model.buffers[graph.tensors[index].buffer].data is not None
            ]
            if any(len(shape) == 2 and shape[1] % block for shape in shapes):
                names[scope_of(graph, operator)] = None
    return list(names)


def scope_of(graph: Any, operator: Any) -> str:
    """The name that ai-edge-quantizer gives an operator: those of its outputs."""
    names = [graph.tensors[index].name.decode() for index in operator.outputs]
    return "".join(f"{name};" for name in names)
