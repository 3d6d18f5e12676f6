"""python -m tests.contract.keras_export FOLDER NAME…: cases as models that Keras itself exports.

A process of its own, because converters leak memory and may end their process."""

import contextlib
import io
import logging
import sys
import warnings
from pathlib import Path

import keras
import numpy as np

from tests.contract import harness
from tests.contract.case import Case
from tests.contract.cases import CASES
from tests.contract.convert import SHAPES
from tests.contract.subprocesses import each

FORMATS = {"tf_saved_model": "saved_model", "litert": "model.tflite", "onnx": "model.onnx"}


def export(name: str, folder: Path) -> None:
    """One file a format, or why there is none, and what the model gave before."""
    case = CASES[name]
    model = of_case(case)
    for number, sizes in enumerate(SHAPES):
        outputs = model(list(harness.tensors(harness.example(case, sizes)).values()))
        flat = keras.tree.flatten(outputs)
        np.savez(folder / f"outputs_{number}.npz", *map(harness.to_numpy, flat))
    for kind, file in FORMATS.items():
        said = io.StringIO()  # tf2onnx only logs what it could not convert
        handler = logging.StreamHandler(said)
        logging.getLogger("tf2onnx").addHandler(handler)
        try:
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("ignore")
                model.export(folder / file, format=kind, verbose=False)
            error = "\n".join(x for x in said.getvalue().splitlines() if "not supported" in x)
        except Exception as caught:
            error = str(caught)
        logging.getLogger("tf2onnx").removeHandler(handler)
        if error:
            (folder / f"{kind}_error").write_text(error[-3000:])


def of_case(case: Case) -> keras.Model:
    """A model of the case's layer, its inputs and outputs in their order."""
    inputs = harness.symbolic_inputs(case)
    outputs = harness.flat(case, case.call(harness.made(case).layer, inputs))
    return keras.Model(list(inputs.values()), list(outputs.values()))


if __name__ == "__main__":
    each(sys.argv[2:], Path(sys.argv[1]), export)
