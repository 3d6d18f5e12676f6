"""The files that `model.export` of Keras writes give the same numbers at any size."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np

from tests.contract import harness
from tests.contract.case import Case
from tests.contract.checks.elsewhere import custom_operators, exportable
from tests.contract.convert import SHAPES
from tests.contract.keras_export import FORMATS
from tests.contract.subprocesses import result, run_once

Serve = Callable[[harness.Arrays], list[Any]]
# The operator of GELU, of which Keras's ONNX export knows the approximation only: the same goes for
# `keras.layers.Dense(5, activation="gelu")`.
NOT_IN_ONNX = dict.fromkeys(("FeedForward", "EncoderBlock", "DecoderBlock"), "Erfc")


def keras_exports(case: Case, shared: Path) -> None:
    """SavedModel, LiteRT with built-in operators only, and ONNX."""
    folder = shared / "keras_exported"
    run_once(folder, "tests.contract.keras_export", "tensorflow", exportable())
    actual = result(folder, case.name)
    for kind, file in FORMATS.items():
        error = actual / f"{kind}_error"
        said = error.read_text() if error.exists() else ""
        if kind == "onnx" and case.name in NOT_IN_ONNX:
            assert NOT_IN_ONNX[case.name] in said, f"{case.name} has no need to be left out"
            continue
        assert not said, f"{case.name} as {kind}: {said}"
        same(case, actual, RUNTIMES[kind](actual / file), f"{case.name} as {kind}")


def same(case: Case, folder: Path, serve: Serve, what: str) -> None:
    for number, sizes in enumerate(SHAPES):
        outputs = serve(harness.example(case, sizes))
        with np.load(folder / f"outputs_{number}.npz") as expected:
            actual = dict(zip(expected, map(harness.to_numpy, outputs), strict=True))
            harness.close(actual, dict(expected), 1e-5, f"{what} at {sizes}")


def saved_model(path: Path) -> Serve:
    import tensorflow as tf

    loaded = tf.saved_model.load(str(path))
    return lambda x: keras.tree.flatten(loaded.serve(list(harness.tensors(x).values())))


def litert(path: Path) -> Serve:
    from ai_edge_litert.interpreter import Interpreter

    content = path.read_bytes()
    assert not custom_operators(content), f"custom operators: {custom_operators(content)}"
    runner = Interpreter(model_content=content).get_signature_runner("serving_default")

    def serve(x: harness.Arrays) -> list[Any]:
        outputs = runner(**{name: x[name] for name in runner.get_input_details()})
        return [outputs[f"output_{place}"] for place in range(len(outputs))]

    return serve


def onnx(path: Path) -> Serve:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path))
    names = [given.name for given in session.get_inputs()]
    return lambda x: session.run(None, {name: x[name] for name in names})


RUNTIMES = {"tf_saved_model": saved_model, "litert": litert, "onnx": onnx}
