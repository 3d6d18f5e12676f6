"""The layer on another backend, in a SavedModel and in a LiteRT file gives the same numbers."""

import sys
from pathlib import Path

import keras
import numpy as np
import pytest

from tests.contract import harness
from tests.contract.case import Case
from tests.contract.cases import CASES
from tests.contract.convert import SHAPES
from tests.contract.subprocesses import ROOT, result, run_once

TORCH = ROOT / ".venv-torch/bin/python"


def exportable() -> list[str]:
    """The layers; losses and metrics stay where models are trained."""
    return [name for name, case in CASES.items() if issubclass(case.layer, keras.layers.Layer)]


def on_jax(case: Case, shared: Path) -> None:
    """JAX, in a process of its own, gives what TensorFlow gives."""
    same_on(case, shared, "jax", "JAX", sys.executable)


def on_torch(case: Case, shared: Path) -> None:
    """PyTorch, in an environment of its own, gives what TensorFlow gives."""
    if not TORCH.exists():
        pytest.skip("needs PyTorch: make torch")
    same_on(case, shared, "torch", "PyTorch", str(TORCH))


def same_on(case: Case, shared: Path, backend: str, title: str, python: str) -> None:
    """Another backend, in a process of its own, gives what TensorFlow gives."""
    folder = shared / backend
    run_once(folder, "tests.contract.compute", backend, list(CASES), python)
    with np.load(result(folder, case.name) / "outputs.npz") as theirs:
        for variant, made in harness.variants(case).items():
            ours = harness.run(case, made.layer, harness.example(case))
            expected = {name: theirs[f"{variant}/{name}"] for name in ours}
            harness.close(ours, expected, 1e-5, f"{case.name} {variant} on {title}")


def exported(case: Case, shared: Path) -> Path:
    """The folder of the case's artifacts, which give the outputs of all its variants."""
    folder = shared / "exported"
    run_once(folder, "tests.contract.convert", "tensorflow", exportable())
    return result(folder, case.name)


def compare(case: Case, folder: Path, serve) -> None:
    """What the layers gave before they were exported, at two shapes."""
    for number, sizes in enumerate(SHAPES):
        outputs = serve(harness.example(case, sizes))
        with np.load(folder / f"outputs_{number}.npz") as expected:
            assert set(outputs) == set(expected), case.name
            actual = {name: harness.to_numpy(outputs[name]) for name in expected}
            harness.close(actual, dict(expected), 1e-5, f"{case.name} at {sizes}")


def saved_model(case: Case, shared: Path) -> None:
    """The SavedModel, loaded without the layer's code."""
    import tensorflow as tf

    folder = exported(case, shared)
    serve = tf.saved_model.load(str(folder / "saved_model")).signatures["serving_default"]
    compare(case, folder, lambda x: serve(**harness.tensors(x)))


def litert(case: Case, shared: Path) -> None:
    """The LiteRT file, with built-in operators only."""
    from ai_edge_litert.interpreter import Interpreter

    folder = exported(case, shared)
    error = folder / "litert_error"
    assert not error.exists(), error.read_text()
    content = (folder / "model.tflite").read_bytes()
    assert not custom_operators(content), f"custom operators: {custom_operators(content)}"
    runner = Interpreter(model_content=content).get_signature_runner("serving_default")
    compare(case, folder, lambda x: runner(**x))


def custom_operators(content: bytes) -> list[str]:
    """The operators of a LiteRT file, in all its subgraphs, that are not built in."""
    from ai_edge_litert import schema_py_generated as schema

    model = schema.ModelT.InitFromPackedBuf(content, 0)
    return [
        code.customCode.decode()
        for code in model.operatorCodes
        if code.builtinCode == schema.BuiltinOperator.CUSTOM or code.customCode
    ]
