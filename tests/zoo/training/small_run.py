"""A run of a second that has all that makes resuming hard: dropout, Adam, a schedule, shuffling.

As a program, `python -m tests.zoo.training.small_run FOLDER BATCH` trains 4 epochs in FOLDER and
kills itself without warning when batch number BATCH is asked for.
"""

import os
import signal
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from zoo.training.data import TrainingData
from zoo.training.history import History
from zoo.training.objective import Objective
from zoo.training.options import SessionOptions
from zoo.training.plan import OptimizerPlan, TrainingPlan
from zoo.training.session import Hooks
from zoo.training.token_count import TokenCount
from zoo.training.trainer import train

VOCABULARY, LENGTH, WIDTH, BATCH, STEPS = 11, 5, 7, 3, 8
WARMUP = 20
ROWS = BATCH * STEPS
VALIDATION_ROWS = 18
SEED = 29


def token_rows() -> tuple[np.ndarray, np.ndarray]:
    """Tokens and, as labels, the next token of a ring; a third of the labels are padding."""
    tokens = np.random.default_rng(2).integers(1, VOCABULARY, (ROWS, LENGTH)).astype("int32")
    labels = tokens % (VOCABULARY - 1) + 1
    labels[::3, 3:] = 0
    return tokens, labels


def build_model() -> keras.Model:
    keras.utils.set_random_seed(17)
    inputs = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(VOCABULARY, WIDTH)(inputs)
    x = keras.layers.Dropout(0.3)(x)
    x = keras.layers.Dense(13, activation="relu")(x)
    x = keras.layers.Dropout(0.2)(x)
    return keras.Model(inputs, {"logits": keras.layers.Dense(VOCABULARY)(x)})


def data(start_epoch: int = 0, start_step: int = 0) -> tf.data.Dataset:
    batches = tf.data.Dataset.from_tensor_slices(token_rows()).shuffle(ROWS, seed=5).repeat()
    return batches.batch(BATCH, drop_remainder=True).skip(start_epoch * STEPS + start_step)


def signalling_data(batch: int, number: int) -> tf.data.Dataset:
    """The same batches; asked for the one of that index, the process gets the signal."""
    tf.random.set_seed(SEED)  # a shuffle depends on it too; `train` has set it for `data`
    batches = list(data().take(4 * STEPS).as_numpy_iterator())

    def generate() -> Any:
        for index, pair in enumerate(batches):
            if index == batch:
                os.kill(os.getpid(), number)
            yield pair

    spec = tf.TensorSpec((BATCH, LENGTH), tf.int32)
    return tf.data.Dataset.from_generator(generate, output_signature=(spec, spec))


def validation() -> tf.data.Dataset:
    """Its number of batches is unknown to tf.data, as with length buckets."""
    some = tf.data.Dataset.from_tensor_slices(token_rows()).take(VALIDATION_ROWS)
    return some.batch(6).filter(lambda x, y: True)


def run(model: keras.Model, dataset: Any = data, **changes: Any) -> History:
    """`train` with settings of this run."""
    settings: dict[str, Any] = {
        "epochs": 4,
        "steps_per_epoch": STEPS,
        "optimizer": OptimizerPlan(
            learning_rate=(WIDTH * WARMUP) ** -0.5, schedule="noam", warmup=WARMUP, clipnorm=1.0
        ),
        "loss": {"logits": keras.losses.SparseCategoricalCrossentropy(from_logits=True)},
        "metrics": {"logits": ["accuracy", TokenCount()]},
        "validation": validation(),
        "jit_compile": False,
        "seed": SEED,
        "verbose": False,
    }
    return train_with(model, dataset, **(settings | changes))


def train_with(model: keras.Model, batches: Any, **given: Any) -> History:
    """`train` with the fields of its arguments by name."""

    def taken(kind: Any) -> Any:
        names = [each.name for each in fields(kind)]
        return kind(**{name: given.pop(name) for name in names if name in given})

    if given.get("validation") is None:
        given.setdefault("monitor", None)
    given["objective"], given["dataset"] = taken(Objective), batches
    arguments = [taken(kind) for kind in (TrainingData, TrainingPlan, SessionOptions, Hooks)]
    assert not given, given
    return train(model, *arguments)


if __name__ == "__main__":
    run(
        build_model(),
        signalling_data(int(sys.argv[2]), signal.SIGKILL),
        folder=Path(sys.argv[1]),
        average=2,
        jit_compile=True,
    )
