"""Residual connection with normalization."""

from typing import Any

import keras

from keras_attn.blocks.normalization import LayerNormalization
from keras_attn.blocks.rms_normalization import RMSNormalization
from keras_attn.blocks.sublayer import Sublayer
from keras_attn.dropout import Dropout

EPSILON = 1e-6
NORMALIZATIONS = {"layer": LayerNormalization, "rms": RMSNormalization}


@keras.saving.register_keras_serializable(package="keras_attn")
class Residual(keras.layers.Layer):
    """Residual connection with normalization, around one sublayer of a block.

    A block computes `y = residual(x, f(residual.enter(x)))`.

    Source: Vaswani et al. 2017, section 3.1 and 5.4 (post-norm); Xiong et al. 2020 (pre-norm).
    Formula: `y = N(x + Dropout(f(x)))`, or with `pre_norm` `y = x + Dropout(f(N(x)))`, N being the
        normalization; with `output_norm` also `y = x + Dropout(N'(f(N(x))))`

    Args:
        pre_norm: Whether to normalize the input of the sublayer instead of the sum.
        dropout: Dropout rate of the output of the sublayer.
        epsilon: Epsilon of the normalization "layer" or "rms".
        normalization: "layer", "rms", or a layer, of which a copy is used (see `Sublayer`).
        output_norm: Whether the output of the sublayer is normalized, too; only with `pre_norm`.
        input_norm: Whether the input of the sublayer is normalized with `pre_norm`.

    Inputs: `x` (B, T, D), the input of the block; `change` (B, T, D), the output of the sublayer.
    Outputs: (B, T, D).

    Raises:
        ValueError: If `dropout` is not between 0 and 1, `normalization` is unknown, `epsilon` is
            set for a layer, or `change` has another width than x.

    Example:
        >>> layer = Residual(pre_norm=True)
        >>> x = keras.ops.ones((3, 5, 11))
        >>> tuple(layer(x, 2 * x).shape)
        (3, 5, 11)
    """

    def __init__(
        self,
        pre_norm: bool = False,
        dropout: float = 0.0,
        epsilon: float = EPSILON,
        normalization: Any = "layer",
        output_norm: bool = False,
        input_norm: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if output_norm and not pre_norm:
            raise ValueError("output_norm requires pre_norm.")
        if not (input_norm or pre_norm):
            raise ValueError("a block without the first normalization requires pre_norm.")
        self.pre_norm = pre_norm
        self.dropout = dropout
        self.epsilon = epsilon
        self.supports_masking = True
        self._normalization = normalization
        if not isinstance(normalization, str):
            self._normalization = Sublayer.of(normalization, "normalization")
        self.input_norm = input_norm
        self._normalize: Any = self._new_normalization() if input_norm else None
        self.output_norm = output_norm
        self._normalize_output: Any = self._new_normalization() if output_norm else None
        self._dropout = Dropout(dropout, dtype=self.dtype_policy)

    def _new_normalization(self) -> Any:
        given = self._normalization
        if isinstance(given, Sublayer):
            if self.epsilon != EPSILON:
                raise ValueError(
                    "epsilon is an option of normalization='layer' or 'rms', which a layer "
                    f"replaces; received {self.epsilon!r}."
                )
            return given.new()
        if given not in NORMALIZATIONS:
            choices = ", ".join(NORMALIZATIONS)
            raise ValueError(
                f"normalization must be one of {choices}, or a layer; received {given!r}."
            )
        return NORMALIZATIONS[given](epsilon=self.epsilon, dtype=self.dtype_policy)

    def build(self, x_shape: tuple, change_shape: tuple | None = None) -> None:
        for each in (self._normalize, self._normalize_output):
            if each is not None:
                each.build(x_shape)

    def enter(self, x: Any) -> Any:
        """Returns the input of the sublayer: x, normalized with `pre_norm`."""
        return self._normalize(x) if self.pre_norm and self.input_norm else x

    def call(self, x: Any, change: Any, training: bool | None = None) -> Any:
        if change.shape[-1] != x.shape[-1]:
            raise ValueError(
                "a sublayer of a block must return the width of its input; received the widths "
                f"{x.shape[-1]} and {change.shape[-1]}."
            )
        if self._normalize_output is not None:
            change = self._normalize_output(change)
        x = x + self._dropout(change, training=training)
        return x if self.pre_norm else self._normalize(x)

    def compute_output_shape(self, x_shape: tuple, change_shape: tuple | None = None) -> tuple:
        return x_shape

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "pre_norm": self.pre_norm,
            "dropout": self.dropout,
            "epsilon": self.epsilon,
            "normalization": self.normalization_config(),
            **({"output_norm": True} if self.output_norm else {}),
            **({} if self.input_norm else {"input_norm": False}),
        }

    def normalization_config(self) -> Any:
        """Returns the argument `normalization`, serialized."""
        given = self._normalization
        return given.config() if isinstance(given, Sublayer) else given
