"""Position-wise feed-forward network."""

from functools import partial
from typing import Any, ClassVar

import keras
from keras import ops

from keras_attn.attention.arguments import check_sizes
from keras_attn.attention.projection import Projection, Updatable, dtype_of, unquantized
from keras_attn.checked import CheckedLayer
from keras_attn.convolution.gated_linear_unit import gated
from keras_attn.dropout import Dropout
from keras_attn.gpu import recomputed


def gelu(x: Any) -> Any:
    """Exact GELU."""
    return ops.gelu(x, approximate=False)


def gelu_tanh(x: Any) -> Any:
    """The tanh approximation of GELU."""
    return ops.gelu(x, approximate=True)


# Of a hidden layer of twice the width, half of which is the gate of the other.
GATED = {
    "glu": gated,
    "swiglu": partial(gated, activation=ops.silu),
    "geglu": partial(gated, activation=gelu),
    "geglu_tanh": partial(gated, activation=gelu_tanh),
}
ACTIVATIONS = {"relu": ops.relu, "gelu": gelu, "gelu_tanh": gelu_tanh, **GATED}


@keras.saving.register_keras_serializable(package="keras_attn")
class FeedForward(CheckedLayer):
    """Position-wise feed-forward network: two dense layers with an activation between them.

    Source: Vaswani et al. 2017, section 3.3, eq. 2; GELU: Hendrycks & Gimpel 2016; GLU: Dauphin et
        al. 2017, eq. 1; SwiGLU and GEGLU: Shazeer 2020, eq. 6.
    Formula: `y = f(x W_1 + b_1) W_2 + b_2`, f being ReLU, GELU, or the tanh approximation of GELU
        that GPT uses; with a gated linear unit W_1 gives `[A B]`, each of width intermediate_dim,
        and `f([A B]) = A * g(B)`, g being the sigmoid (glu), `x sigmoid(x)` (swiglu) or GELU

    Args:
        intermediate_dim: Width of the hidden layer.
        activation: "relu", "gelu" (exact), "gelu_tanh", "glu", "swiglu", "geglu" or "geglu_tanh".
        dropout: Dropout rate after the activation.
        kernel_initializer: Initializer of the kernels W_1 and W_2.
        residual_initializer: Initializer of W_2, whose output a block adds to the residual stream.
            Defaults to `kernel_initializer`.
        use_bias: Whether there are the biases b_1 and b_2.

    Inputs: `x` (B, T, D).
    Outputs: (B, T, D).

    Raises:
        ValueError: If `intermediate_dim` is not positive, or `activation` is unknown.

    Example:
        >>> from keras import ops
        >>> from keras_attn import FeedForward
        >>> layer = FeedForward(intermediate_dim=13, activation="gelu")
        >>> tuple(layer(ops.ones((3, 5, 11))).shape)
        (3, 5, 11)
    """

    axes: ClassVar[dict[str, str]] = {"x": "... D"}

    def __init__(
        self,
        intermediate_dim: int,
        activation: str = "relu",
        dropout: float = 0.0,
        kernel_initializer: Any = "glorot_uniform",
        residual_initializer: Any = None,
        use_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        dtype, self._projection_dtype = unquantized(kwargs.pop("dtype", None))
        super().__init__(dtype=dtype, **kwargs)
        check_sizes(intermediate_dim=intermediate_dim)
        if activation not in ACTIVATIONS:
            choices = ", ".join(ACTIVATIONS)
            raise ValueError(f"activation must be one of {choices}; received {activation!r}.")
        self.intermediate_dim = intermediate_dim
        self.activation = activation
        self.dropout = dropout
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.residual_initializer = keras.initializers.get(residual_initializer)
        self.use_bias = use_bias
        self.supports_masking = True
        self._dropout = Dropout(dropout, dtype=self.dtype_policy)

    def build(self, x_shape: tuple) -> None:
        width = self.intermediate_dim * (2 if self.activation in GATED else 1)
        kernels = self.kernel_initializer
        self._widths = {"x": x_shape[-1]}
        self._hidden = self._projection("hidden", width, kernels)
        kernels = self.residual_initializer or kernels
        self._output = self._projection("output", x_shape[-1], kernels)
        self._hidden.build(x_shape)
        self._output.build((*x_shape[:-1], self.intermediate_dim))

    def _projection(self, name: str, width: int, initializer: Any) -> Projection:
        return Projection(
            (width,),
            use_bias=self.use_bias,
            kernel_initializer=initializer,
            dtype=self._projection_dtype or self.dtype_policy,
            name=name,
        )

    @property
    def updatable(self) -> dict[str, Updatable]:
        """The projections that low-rank updates can change."""
        down = {"down_proj": Updatable(self._output)}
        if self.activation not in GATED:
            return {"up_proj": Updatable(self._hidden), **down}
        up, gate = Updatable(self._hidden, (0, 2)), Updatable(self._hidden, (1, 2))
        return {"up_proj": up, "gate_proj": gate, **down}

    def call(self, x: Any, training: bool | None = None) -> Any:
        hidden = recomputed(lambda x: ACTIVATIONS[self.activation](self._hidden(x)), x)
        return self._output(self._dropout(hidden, training=training))

    def compute_output_shape(self, x_shape: tuple) -> tuple:
        return x_shape

    def get_config(self) -> dict[str, Any]:
        config = {
            "intermediate_dim": self.intermediate_dim,
            "activation": self.activation,
            "dropout": self.dropout,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
            "residual_initializer": keras.initializers.serialize(self.residual_initializer),
            "use_bias": self.use_bias,
        }
        config |= dtype_of(self._hidden if self.built else None, self._projection_dtype)
        return {**super().get_config(), **config}
