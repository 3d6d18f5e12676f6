"""Load an artifact with the runtime that serves it, and call its signatures."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .probes import Tensors, plain

Specs = dict[str, dict]  # tensor name -> {"dtype": str, "shape": [int or None]}


class Artifact(NamedTuple):
    """A loaded artifact.

    Args:
        run: Calls the signature of a name with arrays by name, and returns arrays by name; text is
            str or UTF-8 bytes on the way in, and bytes on the way out.
        signatures: By name, the dtype and shape of each tensor under "inputs" and "outputs".
    """

    run: Callable[[str, Tensors], Tensors]
    signatures: dict[str, dict[str, Specs]]


def load(path: str | Path, strings: bool = False) -> Artifact:
    """Loads a SavedModel or a LiteRT file.

    Args:
        path: A folder with `saved_model.pb`, or a LiteRT file.
        strings: Whether the artifact contains operators of tensorflow-text.
    """
    return _saved_model(Path(path), strings) if Path(path).is_dir() else _litert(path, strings)


def _saved_model(path: Path, strings: bool) -> Artifact:
    import tensorflow as tf

    if strings:
        import tensorflow_text  # noqa: F401  registers the operators

    loaded = tf.saved_model.load(str(path))

    def run(signature: str, inputs: Tensors) -> Tensors:
        function = loaded.signatures[signature]
        outputs = function(**{name: tf.constant(plain(array)) for name, array in inputs.items()})
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


def _litert(path: str | Path, strings: bool) -> Artifact:
    from ai_edge_litert import interpreter as litert

    threads = os.cpu_count()
    if strings:
        from tensorflow_text import tflite_registrar

        interpreter = litert.InterpreterWithCustomOps(
            custom_op_registerers=tflite_registrar.SELECT_TFTEXT_OPS,
            model_path=str(path),
            num_threads=threads,
        )
    else:
        interpreter = litert.Interpreter(model_path=str(path), num_threads=threads)
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


def _names(interpreter) -> list[str]:
    return list(interpreter.get_signature_list())


def _dtype_name(dtype) -> str:
    name = np.dtype(dtype).name
    return "string" if name.startswith(("object", "bytes", "str")) else name
