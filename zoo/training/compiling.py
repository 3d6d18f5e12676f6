"""Compiling a model for `fit`: mixed precision, XLA and random seeds."""

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
    """`model.compile` with loss scaling if any layer uses float16, and with XLA by default.

    Keras alone scales the loss only if the model as a whole has the policy `mixed_float16`,
    although a model with another policy may contain float16 layers; and it does not use XLA on a
    CPU.

    Args:
        model: A built model.
        optimizer: Optimizer of the model.
        loss: See `model.compile`.
        metrics: See `model.compile`.
        jit_compile: True, False or "auto" (on for TensorFlow and JAX).
        loss_weights: See `model.compile`.
    """
    if jit_compile == "auto":
        jit_compile = keras.backend.backend() in ("tensorflow", "jax")
    scaled = isinstance(optimizer, keras.optimizers.LossScaleOptimizer)
    if not scaled and any(layer.compute_dtype == "float16" for layer in [model, *model.layers]):
        optimizer = keras.optimizers.LossScaleOptimizer(optimizer)
    model.compile(
        optimizer, loss, loss_weights=loss_weights, metrics=metrics, jit_compile=jit_compile
    )
    # TensorFlow traces a step twice if the first trace creates variables.
    model.optimizer.build(model.trainable_variables)


def set_seed(model: keras.Model, seed: int) -> None:
    """Sets the global random seeds, and resets the model's random generators from `seed`.

    Layers such as Dropout draw their seed when they are built. After this call, two models with
    equal weights train identically, whenever they were built.

    Args:
        model: A built model.
        seed: Non-negative integer.
    """
    keras.utils.set_random_seed(seed)
    variables = seed_variables(model)
    states = np.random.SeedSequence(seed).generate_state(len(variables)) % 2**31
    for variable, state in zip(variables, states, strict=True):
        variable.assign(np.asarray([state, 0], variable.dtype))
