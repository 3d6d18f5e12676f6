"""Compiling a model for `fit`: optimizer, mixed precision, XLA and random seeds."""

from typing import Any

import keras
import numpy as np

from zoo.training.layerwise import layer_rates
from zoo.training.optimizer import adam, sgd
from zoo.training.plan import OptimizerPlan
from zoo.training.schedule import learning_rates
from zoo.training.weights import seed_variables


def build_optimizer(
    model: keras.Model, plan: OptimizerPlan, updates: int
) -> keras.optimizers.Optimizer:
    """Creates the optimizer of a model.

    Args:
        model: A built model.
        plan: The optimizer, with its learning rates.
        updates: Total number of updates, by which the learning rate changes.

    Returns:
        A new optimizer.

    Raises:
        UserError: If the model has no layer groups, which `layer_decay` requires.

    Example:
        >>> model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
        >>> build_optimizer(model, OptimizerPlan(schedule="linear"), updates=9).name
        'adamw'
    """
    schedule = learning_rates(plan.schedule, plan.learning_rate, plan.warmup, updates)
    rates = layer_rates(model, plan.layer_decay)
    for path, factor in plan.rates.items():
        rates[path] = rates.get(path, 1.0) * factor
    if plan.name == "sgd":
        return sgd(schedule, plan.clipnorm, rates, plan.accumulate, plan.momentum)
    return adam(schedule, plan.clipnorm, plan.weight_decay, rates, plan.beta_2, plan.accumulate)


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
