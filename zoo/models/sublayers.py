"""The options of models about the sublayers of their Transformer blocks."""

from dataclasses import dataclass
from typing import Any

from keras_attn.attention.linear import LinearAttention
from keras_attn.attention.local import LocalAttention
from keras_attn.attention.projected_heads import ProjectedHeads
from keras_attn.attention.random_feature import RandomFeatureAttention
from keras_attn.blocks.normalization import LayerNormalization
from keras_attn.blocks.residual import NORMALIZATIONS
from keras_attn.blocks.rms_normalization import RMSNormalization
from zoo.errors import UserError

FULL, LOCAL, LINEAR, RANDOM_FEATURE = "full", "local", "linear", "random_feature"
ATTENTIONS = (FULL, LOCAL, LINEAR, RANDOM_FEATURE)


@dataclass(frozen=True)
class Sublayers:
    """The options that models share about the attention and the normalization of their blocks.

    Args:
        attention: The self-attention of every block: "full" (`MultiHeadAttention`), "local"
            (`LocalAttention`, over a window), "linear" (`LinearAttention`) or "random_feature"
            (`RandomFeatureAttention`). The last two do not have attention weights, to which
            `attention_dropout` could be applied.
        window: The maximum distance that "local" attention bridges in each block.
        normalization: "layer" or "rms".
        num_key_value_heads: Number of heads of keys and values of "full" attention. Defaults to the
            number of heads.

    Raises:
        ValueError: If an option is unknown, `window` is not given with "local" attention, or is
            given with another, or `num_key_value_heads` is given with another than "full".

    Example:
        >>> sublayers = Sublayers("local", window=64, normalization="rms")
        >>> block = sublayers.block_options(16, num_heads=2, intermediate_dim=32, dropout=0.1)
        >>> block["attention"].window, block["normalization"], block["dropout"]
        (64, 'rms', 0.1)
    """

    attention: str = FULL
    window: int | None = None
    normalization: str = "layer"
    num_key_value_heads: int | None = None

    def __post_init__(self) -> None:
        named = {
            "attention": (self.attention, ATTENTIONS),
            "normalization": (self.normalization, tuple(NORMALIZATIONS)),
        }
        for option, (value, choices) in named.items():
            if value not in choices:
                listed = ", ".join(choices)
                raise ValueError(f"{option} must be one of {listed}; received {value!r}.")
        if (self.window is not None) != (self.attention == LOCAL):
            raise ValueError(
                "window is required with attention='local', and only there; received "
                f"attention={self.attention!r} and window={self.window!r}."
            )
        if self.num_key_value_heads is not None and self.attention != FULL:
            raise ValueError(
                f"num_key_value_heads requires attention='full'; received {self.attention!r}."
            )

    def block_options(
        self,
        hidden_dim: int,
        num_heads: int,
        attention_dropout: float = 0.0,
        position: Any = None,
        kernel_initializer: Any = "glorot_uniform",
        residual_initializer: Any = None,
        dtype: Any = None,
        is_decoder: bool = False,
        **others: Any,
    ) -> dict[str, Any]:
        """The arguments of an `EncoderBlock`, or of a `DecoderBlock`.

        Args:
            hidden_dim: Width D of the hidden states.
            num_heads: Number of attention heads.
            attention_dropout: Dropout rate of the attention weights, if there are any.
            position: Position scheme inside the attention, or None.
            kernel_initializer: See `EncoderBlock`.
            residual_initializer: See `EncoderBlock`.
            dtype: Dtype policy.
            is_decoder: Whether they are those of a `DecoderBlock`.
            **others: Further arguments, which are returned as they are.

        Raises:
            ValueError: If `position` is not None and the attention has no positions.
        """
        common = {
            "normalization": self.normalization,
            "kernel_initializer": kernel_initializer,
            "residual_initializer": residual_initializer,
            "dtype": dtype,
            **others,
        }
        of_heads = {"num_heads": num_heads, "attention_dropout": attention_dropout}
        if self.attention == FULL:
            of_groups = {"num_key_value_heads": self.num_key_value_heads}
            return {**common, **of_heads, **of_groups, "position": position}
        if position is not None:
            name = position if isinstance(position, str) else type(position).__name__
            raise ValueError(f"position {name!r} requires attention='full'.")
        if hidden_dim % num_heads:
            raise ValueError(
                f"num_heads must divide hidden_dim = {hidden_dim}; received {num_heads}."
            )
        heads: dict[str, Any] = {
            "num_heads": num_heads,
            "key_dim": hidden_dim // num_heads,
            "kernel_initializer": kernel_initializer,
            "output_kernel_initializer": residual_initializer,
            "dtype": dtype,
            "name": "attention",
        }
        # In a decoder block, the number of heads is that of the cross-attention, which is full.
        of_cross = of_heads if is_decoder else {}
        return {**common, **of_cross, "attention": self._attention(heads, attention_dropout)}

    def _attention(self, heads: dict[str, Any], dropout: float) -> ProjectedHeads:
        if self.attention == LOCAL:
            return LocalAttention(window=self.window or 0, dropout=dropout, **heads)
        if self.attention == LINEAR:
            return LinearAttention(**heads)
        return RandomFeatureAttention(**heads)

    @property
    def has_maps(self) -> bool:
        """Whether the blocks can show their attention weights."""
        return self.attention in (FULL, LOCAL)

    def norm(self, epsilon: float, dtype: Any, name: str) -> LayerNormalization | RMSNormalization:
        """A normalization outside of the blocks, such as the one that ends a pre-norm stack."""
        return NORMALIZATIONS[self.normalization](epsilon=epsilon, dtype=dtype, name=name)

    def config(self) -> dict[str, Any]:
        """The options, for the config of a model."""
        return {
            "attention": self.attention,
            "window": self.window,
            "normalization": self.normalization,
            "num_key_value_heads": self.num_key_value_heads,
        }


def check_usual(config: dict[str, Any], what: str) -> None:
    """Checks that a model has the usual sublayers.

    Args:
        config: The config of the model.
        what: What requires them, the start of the message.

    Raises:
        UserError: If it has others.

    Example:
        >>> check_usual({"attention": "linear"}, "a checkpoint of GPT-2")
        Traceback (most recent call last):
        zoo.errors.UserError: a checkpoint of GPT-2 requires attention='full', got 'linear'
    """
    for option, usual in Sublayers().config().items():
        if config.get(option, usual) != usual:
            raise UserError(f"{what} requires {option}={usual!r}, got {config[option]!r}")
