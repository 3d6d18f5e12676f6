"""Builds what a release consists of, and trains, exports and verifies with the wheel alone.

python .ci/release_check.py                        # into dist/, as `make release-check` does
python .ci/release_check.py --python python3.13    # installs TensorFlow with pip, for this Python

The extra `zoo` is tried here; tests/test_packaging.py tries the layers alone, on JAX.
"""

import argparse
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from distributions import ROOT, TOPS, build, differences, tracked
from environments import fresh, linked

ROWS = [("a fine film", "good"), ("so dull", "bad"), ("a lovely plot", "good"), ("too long", "bad")]
COMMANDS = (
    "train text-classifier --data films.csv --epochs 2 --out run",
    "export run --format litert --text bytes --out films.tflite",
    "verify films.tflite",
    "predict films.tflite --file films.txt",
)
LAYERS = """
import keras, keras_attn, numpy as np
model = keras.Sequential([keras.Input((None, 3)), keras_attn.LSTM(5), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.ones((2, 7, 3)), np.ones((2, 1)), verbose=0)
print(keras_attn.__version__, keras_attn.__file__)
"""


def try_zoo(python: Path, folder: Path) -> None:
    """Trains on a small file, exports, verifies and predicts, by the command line of a wheel.

    Args:
        python: The Python of the environment.
        folder: An empty folder to work in.

    Raises:
        SystemExit: A command failed.
    """
    lines = [
        "text,label",
        *(f"{text} {number},{label}" for number in range(8) for text, label in ROWS),
    ]
    (folder / "films.csv").write_text("\n".join(lines) + "\n")
    (folder / "films.txt").write_text("a fine film\n")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment["KERAS_BACKEND"] = "tensorflow"
    program = [str(python.with_name("keras-attn"))]
    for command in ([str(python), "-c", LAYERS], *(program + each.split() for each in COMMANDS)):
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
        said = done.stdout.strip()
    if said not in {label for _, label in ROWS}:
        raise SystemExit(f"{COMMANDS[-1]} printed {said!r}, which is no label")


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Prints what was done, and how many seconds it took."""
    begin = time.monotonic()
    yield
    print(f"{what}: {time.monotonic() - begin:.0f} s", flush=True)


def main() -> None:
    """Reads the options, and does the work."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder, which is emptied")
    parser.add_argument("--python", help="install with pip for this Python, and not by links")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        (work / "sources").mkdir()
        (work / "files").mkdir()
        with timed("build"):
            made = build(options.out.resolve(), work / "sources")
        for path in made:
            print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")
        if wrong := differences(*made, tracked(*TOPS)):
            raise SystemExit("\n".join(wrong))
        folder, wheel = work / "zoo", made[1]
        with timed(f"environment of {wheel.name}[zoo]"):
            if options.python:
                python = fresh(folder, wheel, "zoo", options.python)
            else:
                python = linked(folder, wheel, "zoo")
        with timed("train, export, verify, predict"):
            try_zoo(python, work / "files")


if __name__ == "__main__":
    main()
