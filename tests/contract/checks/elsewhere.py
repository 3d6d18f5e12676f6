"""The layer on another backend, in a SavedModel and in a LiteRT file gives the same numbers."""

from pathlib import Path

import numpy as np

from tests.contract import harness
from tests.contract.case import Case
from tests.contract.cases import CASES
from tests.contract.subprocesses import result, run_once

# The second shape is smaller in one axis and larger in another than the first.
SHAPES = ({}, {"B": 2, "T": 8, "S": 4, "N": 13, "E": 41})


def exportable() -> list[str]:
    return [name for name, case in CASES.items() if "litert" not in case.not_applicable]


def on_jax(case: Case, shared: Path) -> None:
    """JAX, in a process of its own, gives what TensorFlow gives."""
    folder = shared / "jax"
    run_once(folder, "tests.contract.compute", "jax", list(CASES))
    with np.load(result(folder, case.name) / "outputs.npz") as theirs:
        for variant, arguments in case.all_arguments().items():
            ours = harness.run(case, harness.make(case, arguments), harness.example(case))
            expected = {name: theirs[f"{variant}/{name}"] for name in ours}
            harness.close(ours, expected, 1e-5, f"{case.name} {variant} on JAX")


def exported(case: Case, shared: Path):
    """For each variant: its folder of artifacts, and the layer."""
    folder = shared / "exported"
    run_once(folder, "tests.contract.convert", "tensorflow", exportable())
    for variant, arguments in case.all_arguments().items():
        yield result(folder, case.name) / (variant or "case"), harness.make(case, arguments)


def saved_model(case: Case, shared: Path) -> None:
    """The SavedModel, loaded without the layer's code, at two shapes."""
    import tensorflow as tf

    for folder, layer in exported(case, shared):
        serve = tf.saved_model.load(str(folder / "saved_model")).signatures["serving_default"]
        for sizes in SHAPES:
            x = harness.example(case, sizes)
            outputs = serve(**{name: tf.constant(value) for name, value in x.items()})
            found = {name: harness.to_numpy(outputs[name]) for name in case.outputs}
            harness.close(found, harness.run(case, layer, x), 1e-5, f"{folder.name} at {sizes}")


def litert(case: Case, shared: Path) -> None:
    """The LiteRT file: built-in operators only, equal at two shapes."""
    from ai_edge_litert.interpreter import Interpreter

    for folder, layer in exported(case, shared):
        error = folder / "litert_error"
        assert not error.exists(), error.read_text()
        content = (folder / "model.tflite").read_bytes()
        assert not custom_operators(content), f"custom operators: {custom_operators(content)}"
        runner = Interpreter(model_content=content).get_signature_runner("serving_default")
        for sizes in SHAPES:
            x = harness.example(case, sizes)
            outputs = runner(**x)
            found = {name: outputs[name].astype("float64") for name in case.outputs}
            harness.close(found, harness.run(case, layer, x), 1e-5, f"{folder.name} at {sizes}")


def custom_operators(content: bytes) -> list[str]:
    """The operators of a LiteRT file, in all its subgraphs, that are not built in."""
    from ai_edge_litert import schema_py_generated as schema

    model = schema.ModelT.InitFromPackedBuf(content, 0)
    return [
        code.customCode.decode()
        for code in model.operatorCodes
        if code.builtinCode == schema.BuiltinOperator.CUSTOM or code.customCode
    ]
