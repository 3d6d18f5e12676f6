"""A layer as two contenders: its forward pass and its train step, compiled."""

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from zoo.bench.timing import Contender


def compiled_layer(layer: Any, call: Callable, x: Any, xla: bool) -> dict[str, Contender]:
    """`call(layer, x, training)`, alone and with the gradients of weights and input.

    Args:
        layer: A Keras layer.
        call: How it is called.
        x: Its first input, floats, that the gradient is taken of too.
        xla: Whether XLA compiles it.
    """
    x = tf.constant(x)
    call(layer, x, False)

    def forward() -> Any:
        return call(layer, x, False)

    def train() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_mean(tf.square(call(layer, x, True)))
        return tape.gradient(loss, [x, *layer.trainable_variables])

    def compiled(function: Callable) -> Contender:
        graph = tf.function(function, jit_compile=xla)
        return lambda: tf.nest.flatten(graph())[-1].numpy()

    return {"forward": compiled(forward), "train": compiled(train)}
