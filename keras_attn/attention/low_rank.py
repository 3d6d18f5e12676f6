"""Low-rank updates of dense projections, by which a frozen model is fine-tuned."""

import math
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_attn.attention.arguments import check_sizes
from keras_attn.functional.dense import dense


@keras.saving.register_keras_serializable(package="keras_attn")
class LowRankUpdate(keras.layers.Layer):
    """The update of a kernel by the product of two small matrices (LoRA).

    Unlike Keras's LoRA, the rank is that of the whole matrix, heads included, and the product is
    applied to the inputs in two steps, so that no gradient of the size of the kernel is computed.

    Source: Hu et al. 2022, section 4.1. A starts from the uniform distribution of PEFT, B from 0.
    Formula: `y = alpha / r (x A) B`, with A uniform in `[-1, 1] / sqrt(I)`

    Args:
        rank: Rank r.
        alpha: Factor alpha.
        outputs: Sizes of the output axes, whose product is O.
        input_axes: Number of input axes of x, whose sizes have the product I.
        part: If only one of n equal parts of the outputs is updated, its index, and n.
        seed: Seed of A.

    Inputs: `x` (..., *inputs). Weights: A (I, r), B (r, O / n).
    Outputs: (..., *outputs).

    Raises:
        ValueError: If `rank` or `alpha` is not positive.

    Example:
        >>> layer = LowRankUpdate(rank=2, alpha=4.0, outputs=(2, 3))
        >>> y = layer(ops.ones((5, 7)))
        >>> tuple(y.shape), float(ops.max(ops.abs(y)))
        ((5, 2, 3), 0.0)
    """

    def __init__(
        self,
        rank: int,
        alpha: float,
        outputs: tuple[int, ...],
        input_axes: int = 1,
        part: tuple[int, int] = (0, 1),
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        check_sizes(rank=rank)
        if not alpha > 0:
            raise ValueError(f"alpha must be positive; received {alpha}.")
        self.rank, self.alpha = rank, float(alpha)
        self.outputs, self.input_axes, self.part = tuple(outputs), input_axes, tuple(part)
        self.seed = seed

    def build(self, x_shape: tuple) -> None:
        inputs = math.prod(x_shape[-self.input_axes :])
        uniform = keras.initializers.RandomUniform(-(inputs**-0.5), inputs**-0.5, seed=self.seed)
        width = math.prod(self.outputs) // self.part[1]
        self.a = self.add_weight((inputs, self.rank), uniform, name="a")
        self.b = self.add_weight((self.rank, width), "zeros", name="b")
        self._inputs = tuple(x_shape[-self.input_axes :])

    def call(self, x: Any) -> Any:
        scale = self.alpha / self.rank
        a, b = ops.convert_to_tensor(self.a), ops.convert_to_tensor(self.b)
        index, count = self.part
        width = b.shape[1]
        b = ops.pad(b, ((0, 0), (index * width, (count - 1 - index) * width)))
        hidden = dense(x, ops.reshape(a, (*self._inputs, self.rank)), input_axes=self.input_axes)
        return dense(hidden * scale, ops.reshape(b, (self.rank, *self.outputs)))

    def change(self) -> np.ndarray:
        """The change of the kernel (*inputs, *outputs), in float64.

        Formula: `alpha / r A B`
        """
        a, b = (np.asarray(ops.convert_to_numpy(x), "float64") for x in (self.a, self.b))
        index, count = self.part
        width = b.shape[1]
        whole = np.zeros((len(a), count * width))
        whole[:, index * width : (index + 1) * width] = self.alpha / self.rank * (a @ b)
        return whole.reshape(*self._inputs, *self.outputs)

    def compute_output_shape(self, x_shape: tuple) -> tuple:
        return (*x_shape[: -self.input_axes], *self.outputs)

    def get_config(self) -> dict[str, Any]:
        names = ("rank", "alpha", "outputs", "input_axes", "part", "seed")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}
