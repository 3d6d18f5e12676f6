"""An artifact, loaded with the runtime that serves it, and calls of its signatures."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .bundle import is_bundle
from .files import read
from .onnx_files import onnx_files, own_names
from .probes import Tensors, is_text, plain
from .snapshot import LARGEST

Specs = dict[str, dict]  # tensor name -> {"dtype": str, "shape": [int or None]}
ONNX_DTYPES = {
    f"tensor({name})": name for name in ("bool", "int8", "int16", "int32", "int64", "uint8")
} | {"tensor(float)": "float32", "tensor(double)": "float64", "tensor(string)": "string"}


class Artifact(NamedTuple):
    """A loaded artifact.

    Args:
        run: Calls the signature of a name with arrays by name, and returns arrays by name; text is
            str or UTF-8 bytes on the way in, and bytes on the way out.
        signatures: By name, the dtype and shape of each tensor under "inputs" and "outputs".
    """

    run: Callable[[str, Tensors], Tensors]
    signatures: dict[str, dict[str, Specs]]


def load(source: bytes | str | Path, strings: bool = False) -> Artifact:
    """Loads a SavedModel, a LiteRT file or ONNX files. Nothing of it is read from the disk later.

    Args:
        source: A folder with `saved_model.pb`, a folder with a file `<signature>.onnx` for each
            signature, or a LiteRT file: its path or its content.
        strings: Whether the artifact contains operators of tensorflow-text.
    """
    if isinstance(source, bytes):
        return _litert(source, strings)
    kind = format_of(source)
    if kind == "onnx":
        return _onnx(source)
    if kind == "saved_model":
        return _saved_model(Path(source), strings)
    return _litert(read(source, LARGEST), strings)


def format_of(source: bytes | str | Path) -> str:
    """The format that an artifact is loaded as: "saved_model", "litert", "litertlm" or "onnx"."""
    if is_bundle(source):
        return "litertlm"
    if isinstance(source, bytes) or not Path(source).is_dir():
        return "litert"
    return "onnx" if onnx_files(source) else "saved_model"


def _saved_model(path: Path, strings: bool) -> Artifact:
    import tensorflow as tf

    if strings:
        import tensorflow_text  # noqa: F401  registers the operators

    loaded = tf.saved_model.load(str(path))

    def tensor(array: np.ndarray):
        return tf.constant(array, tf.string) if is_text(array) else tf.constant(array)

    def run(signature: str, inputs: Tensors) -> Tensors:
        function = loaded.signatures[signature]
        outputs = function(**{name: tensor(plain(array)) for name, array in inputs.items()})
        return {name: plain(tensor.numpy()) for name, tensor in outputs.items()}

    def spec(tensor) -> dict:
        rank = tensor.shape.rank
        return {
            "dtype": tensor.dtype.name,
            "shape": None if rank is None else tensor.shape.as_list(),
        }

    return Artifact(
        run,
        {
            name: {
                "inputs": {
                    key: spec(tensor)
                    for key, tensor in function.structured_input_signature[1].items()
                },
                "outputs": {
                    key: spec(tensor) for key, tensor in function.structured_outputs.items()
                },
            }
            for name, function in loaded.signatures.items()
        },
    )


def _litert(content: bytes, strings: bool) -> Artifact:
    from ai_edge_litert import interpreter as litert

    threads = os.cpu_count()
    if strings:
        from tensorflow_text import tflite_registrar

        interpreter = litert.InterpreterWithCustomOps(
            custom_op_registerers=tflite_registrar.SELECT_TFTEXT_OPS,
            model_content=content,
            num_threads=threads,
        )
    else:
        interpreter = litert.Interpreter(model_content=content, num_threads=threads)
    runners = {name: interpreter.get_signature_runner(name) for name in _names(interpreter)}

    def run(signature: str, inputs: Tensors) -> Tensors:
        outputs = runners[signature](**{name: plain(array) for name, array in inputs.items()})
        return {name: plain(array) for name, array in outputs.items()}

    def specs(details: dict) -> Specs:
        return {
            name: {
                "dtype": _dtype_name(detail["dtype"]),
                "shape": [
                    None if size < 0 else int(size)
                    for size in detail.get("shape_signature", detail["shape"])
                ],
            }
            for name, detail in details.items()
        }

    return Artifact(
        run,
        {
            name: {
                "inputs": specs(runner.get_input_details()),
                "outputs": specs(runner.get_output_details()),
            }
            for name, runner in runners.items()
        },
    )


def _onnx(path: str | Path) -> Artifact:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.load_model_format", "ONNX")
    # Threads that spin while they wait make a call five times as slow where others compute, too.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 4  # what is wrong is raised
    sessions = {
        name: onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        for name, file in onnx_files(path).items()
    }

    def specs(tensors: list, names: dict[str, str]) -> Specs:
        return {
            names.get(tensor.name, tensor.name): {
                "dtype": ONNX_DTYPES.get(tensor.type, tensor.type),
                "shape": [size if isinstance(size, int) else None for size in tensor.shape],
            }
            for tensor in tensors
        }

    def signature(session) -> dict[str, Specs]:
        inputs, outputs = session.get_inputs(), session.get_outputs()
        own = own_names([tensor.name for tensor in inputs])
        return {"inputs": specs(inputs, {}), "outputs": specs(outputs, own)}

    signatures = {name: signature(session) for name, session in sessions.items()}

    def run(name: str, inputs: Tensors) -> Tensors:
        given = {key: plain(array) for key, array in inputs.items()}
        outputs = sessions[name].run(None, given)
        return dict(zip(signatures[name]["outputs"], map(plain, outputs), strict=True))

    return Artifact(run, signatures)


def _names(interpreter) -> list[str]:
    return list(interpreter.get_signature_list())


def _dtype_name(dtype) -> str:
    name = np.dtype(dtype).name
    return "string" if name.startswith(("object", "bytes", "str")) else name
