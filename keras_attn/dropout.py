"""Dropout whose choice of what to drop costs a few integer operations."""

import math
from typing import Any

import keras
from keras import ops

from keras_attn.functional.hashing import hashed, word


@keras.saving.register_keras_serializable(package="keras_attn")
class Dropout(keras.layers.Dropout):
    """Drops a share of the numbers in training; takes the arguments of `keras.layers.Dropout`.

    Keras draws with TensorFlow's generator, which XLA can make slow enough on a processor to take
    the better part of a training step. Here a hash of its place and of the step's seed judges each
    number: a few operations that XLA compiles well, with the same outcome as without it, and on
    every backend.

    Source: Srivastava et al. 2014, section 4, with the scale in training; the hash is MurmurHash3's
        finalizer (Appleby 2011).
    Formula: `y_i = x_i [hash(i, seed) >= rate 2^32] / (1 - rate)` in training, else `y = x`

    Args:
        rate: Share to drop, from 0 to 1.
        noise_shape: Shape of the choice, 1 along axes that are dropped as a whole, None for an axis
            of x; default that of x.
        seed: Fixes what is drawn.

    Inputs: `x` of any shape.
    Outputs: Like x.

    Raises:
        ValueError: If the rate is not from 0 to 1.

    Example:
        >>> y = Dropout(0.25, seed=1)(ops.ones((1000,)), training=True)
        >>> sorted({round(float(v), 3) for v in y}), 0.2 < float(ops.mean(ops.equal(y, 0))) < 0.3
        ([0.0, 1.333], True)
    """

    def call(self, inputs: Any, training: bool = False) -> Any:
        if not training or self.rate == 0:
            return inputs
        if self.rate == 1:
            return ops.zeros_like(inputs)
        keep = ops.greater_equal(self._bits(inputs), word(round(self.rate * 2**32)))
        return ops.where(keep, inputs / (1 - self.rate), ops.zeros_like(inputs))

    def _bits(self, inputs: Any) -> Any:
        """32 random bits for each number, or for those that share a choice."""
        shape = list(ops.shape(inputs))
        for axis, size in enumerate(self.noise_shape or ()):
            shape[axis] = shape[axis] if size is None else size
        places = ops.arange(math.prod(shape), dtype="int32")
        return ops.reshape(hashed(places, self.seed_generator.next()), shape)
