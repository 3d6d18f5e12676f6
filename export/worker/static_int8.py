"""Quantization of a LiteRT file to integers of eight bits, of its weights and its activations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .litert_model import read_model, write_model
from .operators import litert_operators
from .precisions import MISSING
from .probes import SAMPLES, Probe
from .recipes import scope_of

NEVER = 1e8  # no value that is computed with is as far from zero
LOOPS = (
    "static_int8 cannot quantize loops, which generation, tokenizers and recurrent layers over "
    "inputs of any length have: choose int8, or another model"
)


def static_int8(
    content: bytes, probes: Mapping[str, list[Probe]], float_layers: Iterable[str]
) -> bytes:
    """The quantized file.

    Inputs and outputs stay float32, and so does what some layers compute, such as the normalization
    of raw values, and what stands for "never", such as the scores of masked positions.

    Args:
        content: The float32 file.
        probes: Probes by signature; their samples give the ranges of what is computed.
        float_layers: Patterns of names of layers to leave in float32.

    Raises:
        ValueError: If ai-edge-quantizer is not installed, or the file has loops.
    """
    try:
        from ai_edge_quantizer import quantizer
    except ImportError:
        raise ValueError(MISSING.format("static_int8")) from None
    if "WHILE" in litert_operators(content):
        raise ValueError(LOOPS)
    converter = quantizer.Quantizer(content, _recipe(float_layers, ()))
    ranges: dict[str, dict] = {}
    for name, samples in probes.items():
        if name.startswith(SAMPLES):
            for probe in samples:
                # One by one, since the package averages over calls, which cuts off peaks.
                calls = {name.removeprefix(SAMPLES): [probe.inputs]}
                _widen(ranges, converter.calibrate(calls))
    converter.load_quantization_recipe(_recipe(float_layers, _masking(content, ranges)))
    model = read_model(converter.quantize(ranges).quantized_model)
    _give_types_of_inputs(model)
    _give_outputs(model, read_model(content))
    return write_model(model)


def _give_types_of_inputs(model: Any) -> None:
    """Gives the outputs of UNPACK the type of its input.

    The package leaves those that nothing reads in float32, and no runtime loads such a file. In a
    recurrent layer without a loop, nothing reads the first step of a gate of the initial state.
    """
    from ai_edge_litert import schema_py_generated as schema

    for graph in model.subgraphs:
        for operator in graph.operators:
            code = model.operatorCodes[operator.opcodeIndex].builtinCode
            if code != schema.BuiltinOperator.UNPACK:
                continue
            given = graph.tensors[operator.inputs[0]]
            for index in operator.outputs:
                graph.tensors[index].type = given.type
                graph.tensors[index].quantization = given.quantization


def _give_outputs(model: Any, original: Any) -> None:
    """Gives graphs the outputs that they had.

    Where an output is read by an operator of integers, too, the package returns the integers, and
    the signature still names the tensor in float32, which then is not there.
    """
    for graph, before in zip(model.subgraphs, original.subgraphs, strict=False):
        index_of = {tensor.name: index for index, tensor in enumerate(graph.tensors)}
        graph.outputs = [index_of[before.tensors[index].name] for index in before.outputs]


def _widen(ranges: dict[str, dict], others: Mapping[str, dict]) -> None:
    """Extends ranges of tensors, by name, to contain others."""
    for tensor, other in others.items():
        known = ranges.setdefault(tensor, dict(other))
        if {"min", "max"} <= set(known) & set(other):
            known["min"] = np.minimum(known["min"], other["min"])
            known["max"] = np.maximum(known["max"], other["max"])


def _masking(content: bytes, ranges: Mapping[str, dict]) -> list[str]:
    """The names of operators that read or give numbers which stand for "never", such as -1e30.

    Attention subtracts them from the scores of masked positions, and a maximum does not choose
    them. A range of integers that contains them has one step for all other numbers.
    """
    from ai_edge_litert import schema_py_generated as schema

    model = read_model(content)

    def is_far(tensor: Any) -> bool:
        data = model.buffers[tensor.buffer].data
        if tensor.type != schema.TensorType.FLOAT32:
            return False
        if data is not None:
            ends = np.frombuffer(bytes(data), "float32")
        else:
            known = ranges.get(tensor.name.decode(), {})
            ends = np.concatenate([np.ravel(known.get(end, ())) for end in ("min", "max")])
        return bool((np.abs(ends) > NEVER).any())

    names: dict[str, None] = {}
    for graph in model.subgraphs:
        for operator in graph.operators:
            indices = [index for index in (*operator.inputs, *operator.outputs) if index >= 0]
            if any(is_far(graph.tensors[index]) for index in indices):
                names[scope_of(graph, operator)] = None
    return list(names)


def _recipe(float_layers: Iterable[str], float_operators: Iterable[str]) -> Any:
    from ai_edge_quantizer import algorithm_manager, recipe_manager
    from ai_edge_quantizer.qtyping import TFLOperationName as Operations

    rules = recipe_manager.RecipeManager()
    rules.add_static_config(
        regex=".*",
        operation_name=Operations.ALL_SUPPORTED,
        activation_num_bits=8,
        weight_num_bits=8,
    )
    kept = [(".*", Operations.INPUT), (".*", Operations.OUTPUT)]
    # An operator is named after its layer, such as `series_model_1/normalize_1/Sum`, or after an
    # output of the signature. One that is in no layer, such as `Slice`, reads inputs.
    kept += [(each, Operations.ALL_SUPPORTED) for each in ("^StatefulPartitionedCall", "^[^/]*$")]
    kept += [(f"(^|.*/){each}(_[0-9]+)?/", Operations.ALL_SUPPORTED) for each in float_layers]
    kept += [(f"^{re.escape(each)}$", Operations.ALL_SUPPORTED) for each in float_operators]
    for pattern, operation in kept:
        rules.add_quantization_config(
            regex=pattern,
            operation_name=operation,
            algorithm_key=algorithm_manager.AlgorithmName.NO_QUANTIZE,
        )
    return rules.get_quantization_recipe()
