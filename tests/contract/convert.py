"""python -m tests.contract.convert FOLDER NAME…: cases as SavedModels and LiteRT files.

A process of its own, because the converter leaks memory and may end its process."""

import sys
from pathlib import Path

from tests.contract import harness
from tests.contract.cases import CASES
from tests.contract.subprocesses import each


def convert(name: str, folder: Path) -> None:
    import tensorflow as tf

    case = CASES[name]
    for variant, arguments in case.all_arguments().items():
        place = folder / (variant or "case")
        place.mkdir()
        model = harness.functional(case, harness.make(case, arguments))
        model.export(place / "saved_model", format="tf_saved_model", verbose=False)
        converter = tf.lite.TFLiteConverter.from_saved_model(str(place / "saved_model"))
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]
        try:
            (place / "model.tflite").write_bytes(converter.convert())
        except Exception as error:  # the SavedModel is still worth checking
            (place / "litert_error").write_text(str(error)[-3000:])


if __name__ == "__main__":
    each(sys.argv[2:], Path(sys.argv[1]), convert)
