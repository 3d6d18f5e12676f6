"""The matrices of a float32 LiteRT file in 16 bits.

TensorFlow's converter stores every constant so, and numbers that are too small for it become zero:
the least power of which a spectrogram takes the logarithm, 1e-10, is one.
"""

from __future__ import annotations

import numpy as np

from .litert_model import add_constant, new_operator, read_model, type_of, write_model


def with_half_matrices(content: bytes) -> bytes:
    """The file with its constants of two axes or more in 16 bits. It computes in float32.

    Numbers that are too large for 16 bits become the largest one.
    """
    model, end = read_model(content), np.finfo("float16").max
    for graph in model.subgraphs:
        added = []
        for index, tensor in enumerate(list(graph.tensors)):
            data = model.buffers[tensor.buffer].data
            if data is None or type_of(tensor) != "FLOAT32" or len(tensor.shape) < 2:
                continue
            numbers = np.frombuffer(bytes(data), "float32").reshape(tensor.shape)
            half = numbers.clip(-end, end).astype("float16")
            name = f"{tensor.name.decode()}/float16"
            stored = add_constant(model, graph, name, half)
            tensor.buffer = 0
            added.append(new_operator(model, "DEQUANTIZE", [stored], index, "DequantizeOptionsT"))
        graph.operators[:0] = added
    return write_model(model)
