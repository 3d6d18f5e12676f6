"""Dropout whose random mask costs only a few integer operations."""

import math
from typing import Any, ClassVar

import keras
from keras import ops

from keras_attn.checked import CheckedLayer
from keras_attn.functional.hashing import hashed, word


@keras.saving.register_keras_serializable(package="keras_attn")
class Dropout(CheckedLayer, keras.layers.Dropout):
    """Dropout with a hash-based random mask; a drop-in replacement for `keras.layers.Dropout`.

    Keras draws its mask with TensorFlow's generator, which can take most of the time of a training
    step on a CPU under XLA. Here a hash of each element's index and of the step's seed decides
    whether the element is dropped. This takes a few operations that XLA compiles well, and gives
    the same mask with and without XLA and on every backend.

    Source: Srivastava et al. 2014, section 4, with scaling during training; the hash is
        MurmurHash3's finalizer (Appleby 2011).
    Formula: `y_i = x_i [hash(i, seed) >= rate 2^32] / (1 - rate)` in training, else `y = x`

    Args:
        rate: Dropout rate, from 0 to 1.
        noise_shape: Shape of the random mask: 1 for axes along which all elements share a mask
            value, None for the size of that axis of x. Defaults to the shape of x.
        seed: Random seed.

    Inputs: `x` of any shape.
    Outputs: Tensor with the shape of `x`.

    Raises:
        ValueError: If `rate` is not from 0 to 1, or the input is not a float tensor.

    Example:
        >>> from keras import ops
        >>> from keras_attn import Dropout
        >>> y = Dropout(0.25, seed=1)(ops.ones((1000,)), training=True)
        >>> sorted({round(float(v), 3) for v in y}), 0.2 < float(ops.mean(ops.equal(y, 0))) < 0.3
        ([0.0, 1.333], True)
    """

    axes: ClassVar[dict[str, str]] = {"inputs": "..."}

    def call(self, inputs: Any, training: bool = False) -> Any:
        if not training or self.rate == 0:
            return inputs
        if self.rate == 1:
            return ops.zeros_like(inputs)
        shape = list(ops.shape(inputs))
        for axis, size in enumerate(self.noise_shape or ()):
            shape[axis] = shape[axis] if size is None else size
        return drop(inputs, self.rate, self.seed_generator.next(), shape)

    def seeds(self, count: Any) -> Any:
        """Draws the seeds of the steps of a loop, in which JAX cannot draw any.

        Args:
            count: Number of steps T, an integer or a scalar tensor.

        Returns:
            Integers (T, 2), one pair per step, for `with_seed`.
        """
        indices = ops.arange(2 * count, dtype="int32")
        return ops.reshape(hashed(indices, self.seed_generator.next()), (-1, 2))

    def with_seed(self, inputs: Any, training: bool | None, seed: Any = None) -> Any:
        """Applies dropout with a seed that `seeds` drew, or with a new one if it is None."""
        if seed is None:
            return self(inputs, training=training)
        return drop(inputs, self.rate, seed) if training and self.rate else inputs


def drop(x: Any, rate: float, seed: Any, shape: Any = None) -> Any:
    """Applies dropout with a given seed.

    Source: See `Dropout`.
    Formula: See `Dropout`.

    Args:
        x: Tensor.
        rate: Dropout rate, less than 1.
        seed: Two integers (2,).
        shape: Shape of the random mask. Defaults to the shape of x.

    Returns:
        Tensor with the shape of x.

    Example:
        >>> ops.convert_to_numpy(drop(ops.ones((6,)), 0.5, ops.array([7, 3]))).tolist()
        [0.0, 2.0, 2.0, 0.0, 0.0, 0.0]
    """
    keep = random_keep(ops.shape(x) if shape is None else shape, rate, seed)
    return ops.where(keep, x / (1 - rate), ops.zeros_like(x))


def random_keep(shape: Any, rate: float, seed: Any) -> Any:
    """Draws which elements dropout keeps.

    Source: See `Dropout`.
    Formula: `keep_i = hash(i, seed) >= rate 2^32`

    Args:
        shape: Shape of the mask; sizes may be scalar tensors.
        rate: Dropout rate, less than 1.
        seed: Two integers (2,), such as the next ones of a `keras.random.SeedGenerator`.

    Returns:
        Bool tensor, True for elements to keep.

    Example:
        >>> 200 < int(ops.sum(random_keep((1000,), 0.75, ops.array([7, 3])))) < 300
        True
    """
    indices = ops.arange(math.prod(shape), dtype="int32")
    bits = ops.reshape(hashed(indices, seed), shape)
    return ops.greater_equal(bits, word(round(rate * 2**32)))
