"""From a model and an optimizer to a model that `fit` can train: precision, XLA, seeds."""

from typing import Any

import keras
import numpy as np

from zoo.training.weights import seed_variables


def compile_model(
    model: keras.Model,
    optimizer: keras.optimizers.Optimizer,
    loss: Any,
    metrics: Any = None,
    jit_compile: bool | str = "auto",
    loss_weights: Any = None,
) -> None:
    """`model.compile` with a loss scale wherever float16 is used, and XLA unless told otherwise.

    Keras decides both by itself less often: it scales the loss if the model as a whole has the
    policy `mixed_float16`, though float16 layers may sit in a model of another policy; and it
    leaves XLA out on a CPU.

    Args:
        model: A built model.
        optimizer: Its optimizer.
        loss: As for `model.compile`.
        metrics: As for `model.compile`.
        jit_compile: True, False or "auto" (on with TensorFlow and JAX).
        loss_weights: As for `model.compile`.
    """
    if jit_compile == "auto":
        jit_compile = keras.backend.backend() in ("tensorflow", "jax")
    scaled = isinstance(optimizer, keras.optimizers.LossScaleOptimizer)
    if not scaled and any(layer.compute_dtype == "float16" for layer in [model, *model.layers]):
        optimizer = keras.optimizers.LossScaleOptimizer(optimizer)
    model.compile(
        optimizer, loss, loss_weights=loss_weights, metrics=metrics, jit_compile=jit_compile
    )
    # TensorFlow traces a step twice if the first time made variables.
    model.optimizer.build(model.trainable_variables)


def set_seed(model: keras.Model, seed: int) -> None:
    """Fixes the global seeds and restarts the model's own random generators from `seed`.

    A layer such as Dropout draws its seed when it is built; with this, two models with equal
    weights train equally whenever they were built.

    Args:
        model: A built model.
        seed: Any integer from 0 on.
    """
    keras.utils.set_random_seed(seed)
    variables = seed_variables(model)
    states = np.random.SeedSequence(seed).generate_state(len(variables)) % 2**31
    for variable, state in zip(variables, states, strict=True):
        variable.assign(np.asarray([state, 0], variable.dtype))
