"""Start-up: how long commands take as whole processes.

    python -m benchmarks.startup

The first line says how much of it is the import of TensorFlow alone.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import export
import zoo
from benchmarks.command import main
from zoo.bench.timing import Result, take_turns

ROWS = [("two dogs run", "dogs"), ("a red hat", "hats"), ("a hat of felt", "hats")] * 4
TEXT = "three dogs"
ASK_SAVED_MODEL = f"""
import sys
import tensorflow as tf
import tensorflow_text
call = tf.saved_model.load(sys.argv[1]).signatures["serving_default"]
print(call(text=tf.constant([{TEXT!r}])))
"""
ASK_LITERT = f"""
import sys
import numpy as np
from ai_edge_litert.interpreter import Interpreter
text = {TEXT.encode()!r}
call = Interpreter(sys.argv[1]).get_signature_runner("serving_default")
print(call(text_bytes=np.array([[*text]], "int32"), text_lengths=np.array([len(text)], "int32")))
"""
PYTHON = Path(sys.executable)
KERAS_ATTN = PYTHON.with_name("keras-attn")


def process(*command: str | Path) -> Callable[[], object]:
    """A contender that runs a command."""
    return lambda: subprocess.run(list(map(str, command)), check=True, capture_output=True)


def run(quick: bool) -> Iterable[Result]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        task = zoo.TextClassifier("bert", "tiny")
        task.adapt(ROWS)
        task.fit(ROWS, epochs=1, folder=folder / "run", verbose=False)
        export.saved_model(task, folder / "saved")
        export.litert(task, folder / "model.tflite", text="bytes")
        table = folder / "rows.tsv"
        table.write_text("".join(f"{text}\t{label}\n" for text, label in ROWS), "utf-8")
        contenders = {
            "import tensorflow": process(PYTHON, "-c", "import tensorflow"),
            "keras-attn --help": process(KERAS_ATTN, "--help"),
            "keras-attn train text-classifier --help": process(
                KERAS_ATTN, "train", "text-classifier", "--help"
            ),
            "keras-attn models": process(KERAS_ATTN, "models"),
            "keras-attn inspect": process(KERAS_ATTN, "inspect", table),
            "keras-attn predict": process(KERAS_ATTN, "predict", folder / "run", TEXT),
            "keras-attn predict of a LiteRT file": process(
                KERAS_ATTN, "predict", folder / "model.tflite", TEXT
            ),
            "a SavedModel answers": process(PYTHON, "-c", ASK_SAVED_MODEL, folder / "saved" / "1"),
            "a LiteRT file answers": process(PYTHON, "-c", ASK_LITERT, folder / "model.tflite"),
        }
        yield Result("start-up", take_turns(contenders, 2 if quick else 7), {})


if __name__ == "__main__":
    main({"startup": run}, __doc__.splitlines()[0])
