"""The choice of XLA: measured at the start of training, on a CPU."""

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import keras
import numpy as np

from zoo.data_statistics import counted
from zoo.training.state import TrainingState

# How many times as long as tracing a step training has to take for a measurement: XLA's compiler
# takes a few times as long as tracing, and seldom saves more than a third of a step.
PAYS = 50
TURNS = 3


def needs_measuring(state: TrainingState) -> bool:
    """Whether only a measurement tells if XLA is faster: on a CPU with TensorFlow, in a new run.

    On other devices and with JAX, XLA is always used.

    Example:
        >>> needs_measuring(TrainingState(steps_per_epoch=5, xla=False))
        False
    """
    begun = state.epoch or state.step
    if begun or state.xla is not None or keras.backend.backend() != "tensorflow":
        return False
    import tensorflow as tf

    return all(device.device_type == "CPU" for device in tf.config.list_physical_devices())


def measure_xla(
    model: keras.Model, batches: Any, steps: int, log: Callable[[str], None], seed: int | None
) -> bool:
    """Measures whether XLA is faster, and leaves the model compiled that way.

    A step with XLA may take more or less time than one without: oneDNN, which computes without it,
    multiplies matrices of bfloat16 faster, and XLA merges what lies between the products. Both
    train on the first batch some times, in turn. Weights, optimizer and random states are then
    those of before, and training goes on as if nothing had been measured.

    Args:
        model: A compiled model.
        batches: A `tf.data.Dataset` of training batches, which is not the one to train on.
        steps: Number of steps to train. If they are too few for XLA to pay, it is off.
        log: Log of the run.
        seed: Global random seed, or None.

    Returns:
        Whether XLA is on.

    Example:
        >>> import tensorflow as tf
        >>> model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
        >>> model.compile("adam", "mse")
        >>> model.optimizer.build(model.trainable_variables)
        >>> data = tf.data.Dataset.from_tensors((np.ones((2, 3)), np.ones((2, 1))))
        >>> measure_xla(model, data, steps=5, log=lambda line: None, seed=None)
        False
    """
    first = iter(batches.take(1).cache().repeat())
    functions: dict[bool, Any] = {}
    seconds: dict[bool, list[float]] = {False: [], True: []}

    def step(xla: bool) -> float:
        if xla not in functions:
            model.jit_compile = xla
            model.make_train_function(force=True)
            functions[xla] = model.train_function
        start = time.perf_counter()
        logs = functions[xla](first)
        np.asarray(logs["loss"])  # waits for it
        return time.perf_counter() - start

    with _unchanged(model, seed):
        traced = step(False)
        whole = steps * min(step(False), step(False))
        if whole >= PAYS * traced:
            step(True)
            for _ in range(TURNS):
                for xla, turns in seconds.items():
                    turns.append(step(xla))
    if seconds[True]:
        graph, compiled = (statistics.median(seconds[xla]) for xla in (False, True))
        chosen = compiled < graph
        reason = f"a step takes {compiled * 1e3:.0f} ms with it, {graph * 1e3:.0f} ms without"
    else:
        chosen, reason = (
            False,
            f"{counted(steps, 'steps')} like the first are too few for it to pay",
        )
    model.jit_compile, model.train_function = chosen, functions[chosen]
    log(f"XLA {'on' if chosen else 'off'}: {reason}")
    return chosen


@contextmanager
def _unchanged(model: keras.Model, seed: int | None) -> Iterator[None]:
    """Restores all variables of a model and of its optimizer after a `with` block."""
    variables = [*model.variables, *model.optimizer.variables]
    before = [np.array(variable) for variable in variables]
    try:
        yield
    finally:
        for variable, value in zip(variables, before, strict=True):
            variable.assign(value)
        if seed is not None:
            keras.utils.set_random_seed(seed)
