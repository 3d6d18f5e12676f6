"""The layer of a convolutional decoder."""

from typing import Any

import keras

from keras_attn.attention.multi_step import MultiStepAttention
from keras_attn.attention.projection import Projection
from keras_attn.convolution.gated_conv1d import GatedConv1D
from zoo.models.seq2seq import Tensors


@keras.saving.register_keras_serializable(package="keras_attn")
class AttendingConvolution(keras.layers.Layer):
    """A causal gated convolution, multi-step attention, and a residual connection around both.

    Source: Gehring et al. 2017, sections 3.3 and 3.4.
    Formula: see a decoder layer of `ConvS2S`; if the widths differ, h is projected before the
    residual connection

    Args:
        units: Width F of the output.
        kernel_size: Number of input positions of each output.
        dropout: Dropout rate of the convolution's input.
        dilation_rate: Distance between two of these positions.
        scale_residual: Whether sums are scaled by sqrt(1/2), which keeps their variance.

    Inputs: `x` (B, T, D), `embedded` g (B, T, E), `memory` z and `memory_embedded` e (B, S, E);
        `mask` (B, T) and `memory_mask` (B, S), True at real tokens.
    Outputs: (B, T, F) and the attention weights (B, T, S).

    Example:
        >>> layer, source = AttendingConvolution(11, kernel_size=3), keras.ops.ones((2, 7, 4))
        >>> x, embedded = keras.ops.ones((2, 5, 8)), keras.ops.ones((2, 5, 4))
        >>> output, weights = layer(x, embedded, source, source)
        >>> tuple(output.shape), tuple(weights.shape)
        ((2, 5, 11), (2, 5, 7))
    """

    def __init__(
        self,
        units: int,
        kernel_size: int,
        dropout: float = 0.0,
        dilation_rate: int = 1,
        scale_residual: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.units = units
        self.scale_residual = scale_residual
        policy = self.dtype_policy
        self.convolution = GatedConv1D(
            units,
            kernel_size,
            "causal",
            residual=False,
            dropout=dropout,
            dilation_rate=dilation_rate,
            dtype=policy,
            name="conv",
        )
        self.attention = MultiStepAttention(scale=True, dtype=policy, name="attention")
        self.projection: Projection | None = None
        self.supports_masking = True

    def build(
        self,
        x_shape: tuple,
        embedded_shape: tuple,
        memory_shape: tuple,
        memory_embedded_shape: tuple,
    ) -> None:
        output_shape = (*x_shape[:-1], self.units)
        self.convolution.build(x_shape)
        self.attention.build(output_shape, embedded_shape, memory_shape, memory_embedded_shape)
        if x_shape[-1] != self.units:
            policy = self.dtype_policy
            self.projection = Projection((self.units,), dtype=policy, name="projection")
            self.projection.build(x_shape)

    def call(
        self,
        x: Any,
        embedded: Any,
        memory: Any,
        memory_embedded: Any,
        mask: Any = None,
        memory_mask: Any = None,
        training: bool | None = None,
    ) -> tuple[Any, Any]:
        convolved = self.convolution(x, mask=mask, training=training)
        return self._attend(x, convolved, embedded, memory, memory_embedded, memory_mask)

    def _attend(self, x, convolved, embedded, memory, memory_embedded, memory_mask) -> tuple:
        seen, weights = self.attention(
            convolved,
            embedded,
            memory,
            memory_embedded,
            memory_mask=memory_mask,
            return_attention_scores=True,
        )
        x = x if self.projection is None else self.projection(x)
        return self._sum(x, self._sum(convolved, seen)), weights

    def _sum(self, x: Any, y: Any) -> Any:
        """The sum of two tensors, maybe scaled to keep their variance."""
        return (x + y) * 0.5**0.5 if self.scale_residual else x + y

    def initial_state(self, batch_size: Any) -> Any:
        """The state before the first step; see `GatedConv1D`."""
        return self.convolution.initial_state(batch_size)

    def step(self, x: Any, embedded: Any, memory: Tensors, state: Any) -> tuple[Any, Any]:
        """The output of one position, (B, 1, F), and the new state.

        Args:
            x: The layer's input at this position, (B, 1, D).
            embedded: The embedding of the token at this position, (B, 1, E).
            memory: The output of `ConvS2S.encode`.
            state: The state after the previous step, or from `initial_state`.
        """
        convolved, state = self.convolution.step(x, state)
        source = memory["sequence"], memory["embedded"], memory["mask"]
        return self._attend(x, convolved, embedded, *source)[0], state

    def compute_output_spec(
        self, x: Any, embedded: Any, memory: Any, *args: Any, **kwargs: Any
    ) -> tuple[Any, Any]:
        return (
            keras.KerasTensor((*x.shape[:-1], self.units), self.compute_dtype),
            keras.KerasTensor((*x.shape[:-1], memory.shape[1]), self.compute_dtype),
        )

    def get_config(self) -> dict[str, Any]:
        config = {
            "units": self.units,
            "kernel_size": self.convolution.kernel_size,
            "dropout": self.convolution.dropout,
            "dilation_rate": self.convolution.dilation_rate,
            "scale_residual": self.scale_residual,
        }
        return {**super().get_config(), **config}
