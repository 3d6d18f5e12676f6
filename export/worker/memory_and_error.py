"""The memory of a quantized LiteRT file, and the error of its worst layer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .artifact import load
from .litert_model import read_model
from .probes import SAMPLES, Probe, load_probes

LEAST = 1024  # weights of what is called a layer
CALLS = 4


def main(job: dict) -> dict:
    """Measures a file.

    Args:
        job: "file"; "float32", the file that it is compared with, or None; "probes", a file of
            probes; "strings", whether it takes text.

    Returns:
        "peak_memory_mb", or None where the system does not say; of a file that is compared also
        "worst_layer" and "worst_layer_error".
    """
    probes = load_probes(job["probes"])
    result: dict[str, Any] = {"peak_memory_mb": _peak_memory(job["file"], job["strings"], probes)}
    if job["float32"] and not job["strings"]:
        result |= _worst_layer(job["float32"], job["file"], probes)
    return result


def _peak_memory(file: str, strings: bool, probes: dict[str, list[Probe]]) -> float | None:
    """By how much the greatest memory of the process grows as the file is loaded and called."""
    status = Path("/proc/self/status")
    try:
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        before = _kilobytes(status, "VmRSS")
    except OSError:
        return None
    artifact = load(file, strings)
    name = "serving_default" if "serving_default" in artifact.signatures else min(probes)
    for probe in probes[name]:
        artifact.run(name, probe.inputs)
    return round((_kilobytes(status, "VmHWM") - before) * 1024 / 1e6, 1)


def _kilobytes(status: Path, name: str) -> int:
    (line,) = (each for each in status.read_text().splitlines() if each.startswith(f"{name}:"))
    return int(line.split()[1])


def _worst_layer(float32: str, file: str, probes: dict[str, list[Probe]]) -> dict[str, Any]:
    """The layer whose output is relatively farthest from that in float32.

    It is the root mean square of the differences, divided by that of what the layer returns in
    float32, of some samples. What the layers before it lost is part of it.
    """
    content = Path(float32).read_bytes()
    signature, layers = _layers(content)
    calls = [probe.inputs for probe in probes.get(SAMPLES + signature, probes[signature])[:CALLS]]
    squares: dict[str, np.ndarray] = {}
    for inputs in calls:
        exact, approximate = (_tensors(path, signature, inputs, layers) for path in (float32, file))
        for name in exact.keys() & approximate.keys():
            if exact[name].shape == approximate[name].shape and np.isfinite(exact[name]).all():
                both = [
                    np.square(approximate[name] - exact[name]).sum(),
                    np.square(exact[name]).sum(),
                ]
                squares[name] = squares.get(name, 0) + np.array(both, "float64")
    errors = {name: float(np.sqrt(a / b)) for name, (a, b) in squares.items() if b > 0}
    if not errors:
        return {"worst_layer": None, "worst_layer_error": None}
    worst = max(errors, key=lambda name: errors[name])
    return {"worst_layer": _layer_name(worst), "worst_layer_error": round(errors[worst], 4)}


def _layers(content: bytes) -> tuple[str, list[str]]:
    """The signature with the most layers outside of loops, and the names of their outputs."""
    model = read_model(content)
    layers: dict[str, list[str]] = {}
    for signature in model.signatureDefs:
        graph = model.subgraphs[signature.subgraphIndex]
        layers[signature.signatureKey.decode()] = [
            graph.tensors[operator.outputs[0]].name.decode()
            for operator in graph.operators
            if any(_is_weights(model, graph, index) for index in operator.inputs)
        ]
    best = max(sorted(layers), key=lambda name: (len(layers[name]), name == "serving_default"))
    return best, layers[best]


def _is_weights(model: Any, graph: Any, index: int) -> bool:
    from ai_edge_litert import schema_py_generated as schema

    tensor = graph.tensors[index] if index >= 0 else None
    return (
        tensor is not None
        and tensor.type == schema.TensorType.FLOAT32
        and model.buffers[tensor.buffer].data is not None
        and np.prod(tensor.shape) >= LEAST
    )


def _tensors(path: str, signature: str, inputs: dict, wanted: list[str]) -> dict[str, np.ndarray]:
    """The tensors of these names as floats, after a call."""
    from ai_edge_litert import interpreter as litert

    interpreter = litert.Interpreter(
        model_path=path,
        experimental_preserve_all_tensors=True,
        # Which keeps no tensors in between for itself.
        experimental_op_resolver_type=litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
    )
    runner = interpreter.get_signature_runner(signature)
    runner(**inputs)
    graph = runner._subgraph_index
    tensors = {}
    for detail in interpreter.get_tensor_details(graph):
        if detail["name"] in wanted:
            try:
                array = interpreter.get_tensor(detail["index"], graph).astype("float32")
            except ValueError:  # it was not computed, or its memory is used for another one
                continue
            scale, zero = detail["quantization"]
            tensors[detail["name"]] = (array - zero) * scale if scale else array
    return tensors


def _layer_name(tensor: str) -> str:
    """The name of a layer: that of its tensor, without what it computes and without calls.

    Example:
        >>> _layer_name("bert_1/block_0_1/query_1/MatMul;bert_1/block_0_1/query_1/add")
        'bert_1/block_0_1/query_1'
    """
    first = next(part for part in tensor.split(";") if part)
    return first.rpartition("/")[0] or first
