"""Checkpoints: how long training waits for one.

    python -m benchmarks.checkpoints

As many weights as GPT-2 124M, with the averages of Adam. The peer is a file of as many bytes.
"""

import benchmarks.backend  # noqa: F401  isort: skip  sets the backend before Keras is imported

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

import keras
import numpy as np

from benchmarks.command import main
from export.files import sync
from zoo.bench.timing import Result, compare, take_turns
from zoo.training.checkpoint import Checkpoints
from zoo.training.optimizer import AdamW
from zoo.training.state import TrainingState

WIDTH, LAYERS = 768, 26


def network(layers: int) -> keras.Model:
    """Feed-forward layers with an optimizer, and random numbers in all of them."""
    x = outputs = keras.Input((WIDTH,))
    for _ in range(layers):
        outputs = keras.layers.Dense(4 * WIDTH)(outputs)
        outputs = keras.layers.Dense(WIDTH)(outputs)
    model = keras.Model(x, outputs)
    model.compile(AdamW(), "mse")
    model.optimizer.build(model.trainable_variables)
    numbers = np.random.default_rng(0)
    for variable in [*model.weights, *model.optimizer.variables]:
        if len(variable.shape) > 1:
            variable.assign(numbers.normal(size=variable.shape))
    return model


def run(quick: bool) -> Iterable[Result]:
    model = network(1 if quick else LAYERS)
    with tempfile.TemporaryDirectory() as name:
        checkpoints = Checkpoints(Path(name) / "run")
        state = TrainingState(steps_per_epoch=7, step=3)

        def save() -> None:
            checkpoints.save_step(model, state)

        save()
        content = os.urandom(checkpoints.last.stat().st_size)

        def write() -> None:
            path = Path(name) / "bytes"
            path.write_bytes(content)
            sync(path)

        seconds = take_turns({"checkpoint": save, "bytes": write}, 2 if quick else 7)
        title = f"a checkpoint of {model.count_params():,} weights, {len(content):,} bytes"
        yield Result(
            title, seconds, compare(seconds, {"bytes / checkpoint": ("bytes", "checkpoint")})
        )


if __name__ == "__main__":
    main({"checkpoints": run}, __doc__.splitlines()[0])
