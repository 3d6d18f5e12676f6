"""Exports of one task in every format, and what runs them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

import export

Run = Callable[..., dict[str, Any]]


def write_artifacts(task: Any, folder: Path) -> dict[str, Path]:
    """The artifacts by name of the contender, verification included."""
    paths = {
        "saved_model": folder / "graph",
        "saved_model xla": folder / "xla",
        "litert": folder / "float32.tflite",
        "litert int8": folder / "int8.tflite",
        "onnx": folder / "onnx",
    }
    export.saved_model(task, paths["saved_model"], text=None)
    export.saved_model(task, paths["saved_model xla"], xla=True, text=None)
    export.litert(task, paths["litert"])
    export.litert(task, paths["litert int8"], quantize="int8")
    export.onnx(task, paths["onnx"])
    return paths


def load(path: Path, threads: int) -> Run:
    """The signature `serving_default` as a function from arrays to arrays.

    Args:
        path: An artifact.
        threads: How many threads may run it; TensorFlow takes one for each core.
    """
    if path.suffix == ".tflite":
        return _litert(path, threads)
    return _onnx(path, threads) if (path / "serving_default.onnx").exists() else _saved_model(path)


def _litert(path: Path, threads: int) -> Run:
    from ai_edge_litert.interpreter import Interpreter

    loaded = Interpreter(str(path), num_threads=threads)
    runner = loaded.get_signature_runner("serving_default")
    # A runner does not keep the weights.
    return lambda _keep=loaded, **inputs: runner(**inputs)


def _onnx(path: Path, threads: int) -> Run:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path / "serving_default.onnx", options)
    names = [output.name for output in session.get_outputs()]
    return lambda **inputs: dict(zip(names, session.run(names, inputs), strict=True))


def _saved_model(path: Path) -> Run:
    loaded = tf.saved_model.load(str(path / "1"))
    call = loaded.signatures["serving_default"]

    def run(_keep: Any = loaded, **inputs: Any) -> dict[str, Any]:
        found = call(**{name: tf.constant(value) for name, value in inputs.items()})
        return {name: np.array(value) for name, value in found.items()}

    return run
