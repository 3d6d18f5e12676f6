"""python -m tests.contract.convert FOLDER NAME…: cases as SavedModels and LiteRT files.

A process of its own, because the converter leaks memory and may end its process."""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from tests.contract import harness
from tests.contract.case import Case
from tests.contract.cases import CASES
from tests.contract.subprocesses import each

# The second shape is smaller in one axis and larger in another than the first.
SHAPES: tuple[dict[str, int], ...] = ({}, {"B": 2, "T": 8, "S": 4, "N": 13, "E": 41})


def convert(name: str, folder: Path) -> None:
    """The case and its variants as one graph, and what it gave before it was exported."""
    import tensorflow as tf

    case = CASES[name]
    layers = {variant: made.layer for variant, made in harness.variants(case).items()}
    for number, sizes in enumerate(SHAPES):
        outputs = all_outputs(case, layers, harness.tensors(harness.example(case, sizes)))
        expected = {key: harness.to_numpy(value) for key, value in outputs.items()}
        np.savez(folder / f"outputs_{number}.npz", **expected)

    signature = {
        name: tf.TensorSpec(tensor.unknown_shape(), tensor.dtype, name=name)
        for name, tensor in case.inputs.items()
    }
    module = tf.Module()
    module.weights = [w.value for layer in layers.values() for w in getattr(layer, "weights", [])]
    serve = tf.function(lambda **x: all_outputs(case, layers, x), autograph=False)
    place = folder / "saved_model"
    tf.saved_model.save(module, place, signatures=serve.get_concrete_function(**signature))
    converter = tf.lite.TFLiteConverter.from_saved_model(str(place))
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]
    try:
        (folder / "model.tflite").write_bytes(converter.convert())
    except Exception as error:  # the SavedModel is still worth checking
        (folder / "litert_error").write_text(str(error)[-3000:])


def all_outputs(case: Case, layers: dict[str, Any], x: dict[str, Any]) -> dict[str, Any]:
    """The outputs of all variants, named as a signature may name them."""
    return {
        f"{variant or 'case'}.{name}".replace(" ", "_"): value
        for variant, layer in layers.items()
        for name, value in harness.flat(case, case.call(layer, x)).items()
    }


if __name__ == "__main__":
    each(sys.argv[2:], Path(sys.argv[1]), convert)
