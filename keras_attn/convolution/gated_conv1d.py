"""Gated convolution over time: the building block of convolutional sequence models."""

import math
from typing import Any, ClassVar

import keras
from keras import ops

from keras_attn.attention.projection import Projection, dtype_of, unquantized
from keras_attn.checked import CheckedLayer
from keras_attn.convolution.gated_linear_unit import GatedLinearUnit
from keras_attn.dropout import Dropout
from keras_attn.functional.dense import dense
from keras_attn.functional.masks import zero_masked

PADDINGS = ("same", "causal")


@keras.saving.register_keras_serializable(package="keras_attn")
class GatedConv1D(CheckedLayer):
    """Weight-normalized 1D convolution with a gated linear unit and a residual connection.

    If the input does not have the width of the output, the residual is projected: `x_t P`.

    Source: Gehring et al. 2017, sections 3.2, 3.4 (scale) and 3.5 (initialization); Dauphin et al.
        2017, equation 1; weight normalization: Salimans & Kingma 2016, equation 2; dilation: van
        den Oord et al. 2016 (WaveNet), section 2.1, and Kalchbrenner et al. 2016 (ByteNet).
    Formula: `y_t = s (x_t + A * sigmoid(B))` with
        `[A B]_o = b_o + g_o / |V_o| sum_k x_{t+kd-p} . V_{k,o}`; s is sqrt(1/2), or 1 without
        `scale_residual`; d is `dilation_rate`; p is (kernel_size - 1) d // 2 with "same" and
        (kernel_size - 1) d with "causal"; x is 0 beyond both ends and where masked

    Args:
        filters: Width F of the output.
        kernel_size: Number of positions in the convolution window.
        padding: "same" (the window is centered; if `kernel_size` is even, it has one more position
            on the right) or "causal" (the window ends at the current position).
        residual: Whether to add the input to the output.
        dropout: Dropout rate of the convolution's input. The initial variance of the kernel is
            reduced accordingly, to 4 (1 - dropout) / (kernel_size D).
        dilation_rate: Distance between two positions of the window. Layers with 1, 2, 4, ... see
            exponentially many positions.
        scale_residual: Whether the sum of input and output is scaled to keep its variance.

    Inputs: `x` (B, T, D); `mask` (B, T), True for valid positions, by default Keras's implicit
        mask.
    Outputs: (B, T, F).

    Raises:
        ValueError: If `filters`, `kernel_size` or `dilation_rate` is not positive, `padding` is
            unknown, `dropout` is not in [0, 1), or `step` is called on a layer that is not causal.

    Example:
        >>> from keras import ops
        >>> from keras_attn import GatedConv1D
        >>> layer = GatedConv1D(filters=11, kernel_size=3, padding="causal")
        >>> x = ops.ones((3, 5, 11))
        >>> tuple(layer(x).shape)
        (3, 5, 11)
        >>> y, state = layer.step(x[:, 0], layer.initial_state(batch_size=3))
        >>> tuple(y.shape), tuple(state.shape)
        ((3, 11), (3, 2, 11))
    """

    axes: ClassVar[dict[str, str]] = {"x": "B T D", "mask": "B T"}

    def __init__(
        self,
        filters: int,
        kernel_size: int,
        padding: str = "same",
        residual: bool = True,
        dropout: float = 0.0,
        dilation_rate: int = 1,
        scale_residual: bool = True,
        **kwargs: Any,
    ) -> None:
        dtype, self._projection_dtype = unquantized(kwargs.pop("dtype", None))
        super().__init__(dtype=dtype, **kwargs)
        sizes = dict(filters=filters, kernel_size=kernel_size, dilation_rate=dilation_rate)
        for name, size in sizes.items():
            if size < 1:
                raise ValueError(f"{name} must be a positive integer; received {size!r}.")
        if padding not in PADDINGS:
            raise ValueError(f"padding must be one of {', '.join(PADDINGS)}; received {padding!r}.")
        if not 0 <= dropout < 1:
            raise ValueError(f"dropout must be at least 0 and less than 1; received {dropout!r}.")
        self.filters = filters
        self.kernel_size = kernel_size
        self.padding = padding
        self.residual = residual
        self.dropout = dropout
        self.dilation_rate = dilation_rate
        self.scale_residual = scale_residual
        self.supports_masking = True
        self._dropout = Dropout(dropout, dtype=self.dtype_policy)
        self._gate = GatedLinearUnit(dtype=self.dtype_policy)

    def build(self, x_shape: tuple) -> None:
        width, outputs = x_shape[-1], 2 * self.filters
        self._widths = {"x": width}
        deviation = math.sqrt(4 * (1 - self.dropout) / (self.kernel_size * width))
        initializer = keras.initializers.RandomNormal(stddev=deviation)
        self.kernel = self.add_weight(
            (self.kernel_size, width, outputs), initializer, name="kernel"
        )
        self.gain = self.add_weight((outputs,), self._first_gain, name="gain")
        self.bias = self.add_weight((outputs,), "zeros", name="bias")
        self._projection = None
        if self.residual and width != self.filters:
            dtype = self._projection_dtype or self.dtype_policy
            self._projection = Projection(
                (self.filters,), use_bias=False, dtype=dtype, name="projection"
            )
            self._projection.build(x_shape)

    def _first_gain(self, shape: tuple, dtype: Any = None) -> Any:
        """Initializes the gain to the norms of the kernel, which leaves the kernel unchanged."""
        kernel = ops.cast(self.kernel, "float32")
        return ops.cast(ops.sqrt(ops.sum(ops.square(kernel), axis=(0, 1))), dtype)

    def _normalized_kernel(self) -> Any:
        kernel, gain = ops.cast(self.kernel, "float32"), ops.cast(self.gain, "float32")
        squares = ops.sum(ops.square(kernel), axis=(0, 1))
        scale = gain * ops.rsqrt(ops.maximum(squares, 1e-12))
        return ops.cast(kernel * scale, self.compute_dtype)

    def call(self, x: Any, mask: Any = None, training: bool | None = None) -> Any:
        x = zero_masked(x, mask)
        inputs = self._dropout(x, training=training)
        before = self._seen if self.padding == "causal" else self._seen // 2
        # One position more than needed, because TensorFlow fails on an empty padded sequence, and
        # one row for an empty batch, which oneDNN would return in the shape that went in.
        after = self._seen - before + 1
        batch, length, width = ops.shape(x)
        row = max(1 - batch, 0) if isinstance(batch, int) else ops.maximum(1 - batch, 0)
        inputs = ops.pad(inputs, ((0, row), (before, after), (0, 0)))
        # The shape is as before, but TensorFlow knows the width again, as LiteRT requires.
        inputs = ops.reshape(inputs, (batch + row, before + length + after, width))
        kernel = self._normalized_kernel()
        if self.dilation_rate == 1:
            convolved = ops.conv(inputs, kernel, padding="valid", data_format="channels_last")
            convolved = convolved[:, :-1]
        else:  # which converters of dilated convolutions compute for known lengths only
            steps = range(0, self._seen + 1, self.dilation_rate)
            windows = ops.stack([inputs[:, step : step + length] for step in steps], axis=2)
            convolved = dense(windows, kernel, None, input_axes=2)
        convolved = convolved[:batch]
        return self._gate_and_add(convolved + ops.cast(self.bias, self.compute_dtype), x)

    @property
    def _seen(self) -> int:
        """Number of positions from the first to the last one of a window, less one."""
        return (self.kernel_size - 1) * self.dilation_rate

    def _gate_and_add(self, convolved: Any, x: Any) -> Any:
        gated = self._gate(convolved)
        if not self.residual:
            return gated
        x = x if self._projection is None else self._projection(x)
        return (gated + x) * math.sqrt(0.5) if self.scale_residual else gated + x

    def initial_state(self, batch_size: Any) -> Any:
        """Returns the state before the first decoding step.

        Args:
            batch_size: Number of sequences B, an integer or a scalar tensor.

        Returns:
            Zeros (B, (kernel_size - 1) dilation_rate, D).
        """
        room = (batch_size, self._seen, self.kernel.shape[1])
        return ops.zeros(room, self.compute_dtype)

    def step(self, x: Any, state: Any) -> tuple[Any, Any]:
        """Computes one position of a causal convolution, as a call on the whole sequence does.

        Args:
            x: Input of this step, (B, D) or (B, 1, D).
            state: State from `initial_state` or from the previous step: the preceding inputs.

        Returns:
            The output (B, F) or (B, 1, F), and the new state.
        """
        if self.padding != "causal":
            raise ValueError(f"step requires padding='causal'; received {self.padding!r}.")
        x = ops.cast(x, self.compute_dtype)
        newest = x if len(x.shape) == 3 else ops.expand_dims(x, 1)
        window = ops.concatenate([state, newest], axis=1)
        bias = ops.cast(self.bias, self.compute_dtype)
        seen = window[:, :: self.dilation_rate]
        convolved = dense(seen, self._normalized_kernel(), bias, input_axes=2)
        if len(x.shape) == 3:
            convolved = ops.expand_dims(convolved, 1)
        return self._gate_and_add(convolved, x), window[:, 1:]

    def compute_output_shape(self, x_shape: tuple) -> tuple:
        return (*x_shape[:-1], self.filters)

    def get_config(self) -> dict[str, Any]:
        config = {
            "filters": self.filters,
            "kernel_size": self.kernel_size,
            "padding": self.padding,
            "residual": self.residual,
            "dropout": self.dropout,
            "dilation_rate": self.dilation_rate,
            "scale_residual": self.scale_residual,
        }
        projection = self._projection if self.built else None
        config |= dtype_of(projection, self._projection_dtype)
        return {**super().get_config(), **config}
