"""A training step of every model of the zoo, with random inputs."""

from collections.abc import Callable, Iterator
from typing import Any

import keras
import numpy as np

from keras_attn.right_padding import right_padding
from zoo.bench.timing import Result, take_turns
from zoo.models.create import create_model
from zoo.models.options import model_options
from zoo.registry import MODELS

# What the models of the registry must be told.
SIZES = {
    "vocabulary_size": 500,
    "source_vocabulary_size": 500,
    "target_vocabulary_size": 500,
    "num_classes": 5,
    "input_dim": 64,
    "image_size": [64, 64],
    "channels": 1,
    "context_length": 64,
    "horizon": 16,
    "num_channels": 3,
    "sample_rate": 8000,
}


def smallest(name: str) -> keras.Model:
    """A model of the registry at its first preset, compiled to bring its outputs to zero.

    XLA compiles it on GPUs and with JAX, as `fit` does.
    """
    row = MODELS[name]
    task = next(iter(row.tasks))
    sizes = {key: size for key, size in SIZES.items() if key in model_options(row, task)}
    model = create_model(name, next(iter(row.presets)), task, **sizes)
    tensorflow = keras.backend.backend() == "tensorflow"
    model.compile("adam", "mse", jit_compile=False if tensorflow and not _has_gpu() else "auto")
    return model


def random_inputs(model: keras.Model, rows: int, length: int) -> dict[str, Any]:
    """Inputs of the shapes that a model asks for, without padding; integers are 1."""
    random, inputs = np.random.default_rng(0), {}
    for each in model.inputs:
        # A graph has one row of numbers for each node, and two for its edges.
        shape = [each.shape[0] or rows, *(size or length for size in each.shape[1:])]
        if each.dtype == "bool":
            inputs[each.name] = np.ones(shape, bool)
        elif each.dtype.startswith("int"):
            inputs[each.name] = np.ones(shape, each.dtype)  # a segment is 0 or 1
        else:
            inputs[each.name] = random.random(shape).astype(each.dtype)
    return inputs


class Batches(keras.utils.PyDataset):
    """The same batch again and again, with zeros as labels.

    Args:
        model: The model.
        rows: Number of rows of the batch.
        length: Length of sequences.
        steps: How often it comes.
    """

    def __init__(self, model: keras.Model, rows: int, length: int, steps: int) -> None:
        super().__init__()
        self.steps = steps
        inputs = random_inputs(model, rows, length)
        outputs = model.predict_on_batch(inputs)
        zeros = keras.tree.map_structure(lambda each: np.zeros(each.shape, "float32"), outputs)
        self.batch = inputs, zeros

    def __len__(self) -> int:
        return self.steps

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self.batch


def every_model(rows: int, length: int, steps: int, turns: int) -> Iterator[Result]:
    """The time of a step of `model.fit` for each model.

    Args:
        rows: Rows of a batch.
        length: Length of sequences.
        steps: Steps of a turn.
        turns: Turns.
    """
    for name in MODELS:
        model = smallest(name)
        batches = Batches(model, rows, length, steps)
        with right_padding():
            seconds = take_turns({"ours": _fit(model, batches)}, turns)
        a_step = {who: [each / steps for each in found] for who, found in seconds.items()}
        yield Result(f"{name}, training step of {rows} x {length}", a_step, {}, rows, "rows")


def _fit(model: keras.Model, batches: Batches) -> Callable[[], Any]:
    if not any(each.shape[0] for each in model.inputs):
        return lambda: model.fit(batches, shuffle=False, verbose=0)

    def steps() -> None:
        # With TensorFlow, `fit` forgets the fixed first size of the edges of a graph.
        for number in range(len(batches)):
            model.train_on_batch(*batches[number])

    return steps


def _has_gpu() -> bool:
    import tensorflow as tf

    return bool(tf.config.list_physical_devices("GPU"))
