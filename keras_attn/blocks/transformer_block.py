"""Base class of encoder and decoder blocks."""

from typing import Any, ClassVar

import keras

from keras_attn.articles import with_article
from keras_attn.attention.multi_head import MultiHeadAttention
from keras_attn.attention.normalizers import get_normalizer, serialize_normalizer
from keras_attn.attention.projection import unquantized
from keras_attn.blocks.attend_to_itself import check_accepts
from keras_attn.blocks.feed_forward import FeedForward
from keras_attn.blocks.residual import EPSILON, Residual
from keras_attn.blocks.self_attention import check_self_attention
from keras_attn.blocks.sublayer import Sublayer
from keras_attn.checked import CheckedLayer
from keras_attn.position.schemes import PositionScheme, get_position

# Options of the usual feed-forward network, with their defaults.
OF_FEED_FORWARD = {"intermediate_dim": None, "activation": "relu", "activation_dropout": 0.0}


class TransformerBlock(CheckedLayer):
    """Base class of Transformer blocks: attention and a feed-forward network.

    Each of these sublayers has a residual connection with a normalization N.

    Source: Vaswani et al. 2017, section 3.1; pre-norm: Xiong et al. 2020, figure 1.
    Formula: `y = N(x + f(x))` for each sublayer f; with `pre_norm`, `y = x + f(N(x))`

    Args:
        Those of `EncoderBlock`.

    Example:
        >>> block = TransformerBlock(num_heads=2, intermediate_dim=13, position="rotary")
        >>> block.get_config()["position"]
        'rotary'
    """

    axes: ClassVar[dict[str, str]] = {
        "sequence": "B T D",
        "memory": "B S Dm",
        "padding_mask": "B T",
        "memory_mask": "B S",
        "mask": "B T",
        "sequence_mask": "B T",
    }

    sublayers = 2
    # Options of the usual self-attention, with their defaults, which `attention` replaces.
    replaced: ClassVar[dict[str, Any]] = {"position": None, "sliding_window": None}

    def __init__(
        self,
        num_heads: int | None = None,
        intermediate_dim: int | None = None,
        key_dim: int | None = None,
        activation: str = "relu",
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        activation_dropout: float = 0.0,
        pre_norm: bool = False,
        position: Any = None,
        num_key_value_heads: int | None = None,
        sliding_window: int | None = None,
        aggregate: str = "project",
        tie_key_value: bool = False,
        score: Any = "scaled_dot",
        normalizer: Any = "softmax",
        attention_regularizer: Any = None,
        attention_bias: bool = True,
        epsilon: float = EPSILON,
        kernel_initializer: Any = "glorot_uniform",
        residual_initializer: Any = None,
        attention: Any = None,
        feed_forward: Any = None,
        normalization: Any = "layer",
        output_norm: bool = False,
        first_norm: bool = True,
        **kwargs: Any,
    ) -> None:
        dtype, self._projection_dtype = unquantized(kwargs.pop("dtype", None))
        super().__init__(dtype=dtype, **kwargs)
        self.num_heads = num_heads
        self.intermediate_dim = intermediate_dim
        self.key_dim = key_dim
        self.activation = activation
        self.attention_dropout = attention_dropout
        self.activation_dropout = activation_dropout
        self.num_key_value_heads = num_key_value_heads
        self.sliding_window = sliding_window
        self.aggregate = aggregate
        self.tie_key_value = tie_key_value
        self.score = score if isinstance(score, str) else Sublayer.of(score, "score")
        self.normalizer = serialize_normalizer(get_normalizer(normalizer))
        self.attention_regularizer = keras.regularizers.get(attention_regularizer)
        self.attention_bias = attention_bias
        self.position = get_position(position) if isinstance(position, dict) else position
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.residual_initializer = keras.initializers.get(residual_initializer)
        self._attention = self._feed_forward = None
        if attention is not None:
            self._attention = Sublayer.of(attention, "attention")
            check_self_attention(self._attention.layer)
            self._refuse("attention", self.replaced)
        if feed_forward is not None:
            self._feed_forward = Sublayer.of(feed_forward, "feed_forward")
            self._refuse("feed_forward", OF_FEED_FORWARD)
        if isinstance(num_heads, keras.Layer):
            raise ValueError(
                f"num_heads must be an integer; received {with_article(type(num_heads).__name__)}: "
                "give a layer as attention."
            )
        if num_heads is None and (attention is None or "num_heads" not in self.replaced):
            raise ValueError(f"{type(self).__name__} requires num_heads.")
        self.feed_forward = self._new_feed_forward()
        self.first_norm = first_norm
        self.residuals = [
            Residual(
                *(pre_norm, dropout, epsilon, normalization, output_norm),
                input_norm=first_norm or number > 0,
                dtype=self.dtype_policy,
            )
            for number in range(self.sublayers)
        ]
        self.supports_masking = True

    def check(self, given: dict[str, Any]) -> None:
        super().check(given)
        for name in ("attention_mask", "return_attention_scores"):
            value = given.get(name)
            if self._attention is not None and not (value is None or value is False):
                check_accepts(self._attention.layer, name)

    def _refuse(self, argument: str, replaced: dict[str, Any]) -> None:
        """Raises if an option is set that a given sublayer replaces."""
        for name, default in replaced.items():
            if getattr(self, name) != default:
                raise ValueError(
                    f"{argument} replaces {', '.join(replaced)}; received "
                    f"{name}={getattr(self, name)!r}."
                )

    def _new_feed_forward(self) -> Any:
        if self._feed_forward is not None:
            return self._feed_forward.new()
        if self.intermediate_dim is None:
            raise ValueError(
                f"{type(self).__name__} requires intermediate_dim, or a layer as feed_forward."
            )
        return FeedForward(
            self.intermediate_dim,
            self.activation,
            self.activation_dropout,
            self.kernel_initializer,
            self.residual_initializer,
            dtype=self._projection_dtype or self.dtype_policy,
        )

    def new_attention(self, name: str, width: int, **options: Any) -> MultiHeadAttention:
        """Creates multi-head attention with the options of the block, for queries of width D."""
        num_heads, key_dim = heads_of(width, self.num_heads, self.key_dim)
        is_projected = self.aggregate == "project"
        return MultiHeadAttention(
            num_heads,
            key_dim,
            # Heads that are averaged have the width of the block, as their mean does.
            width if self.aggregate == "mean" else None,
            num_key_value_heads=self.num_key_value_heads,
            aggregate=self.aggregate,
            tie_key_value=self.tie_key_value,
            score=self.score if isinstance(self.score, str) else self.score.new(),
            normalizer=self.normalizer,
            attention_regularizer=self.attention_regularizer,
            use_bias=self.attention_bias,
            dropout=self.attention_dropout,
            kernel_initializer=self.kernel_initializer,
            output_kernel_initializer=self.residual_initializer if is_projected else None,
            dtype=self._projection_dtype or self.dtype_policy,
            name=name,
            **options,
        )

    def new_self_attention(self, name: str, sequence_shape: tuple) -> Any:
        """Creates and builds self-attention: a copy of the given layer, or the usual one."""
        if self._attention is not None:
            attention = self._attention.new()
        else:
            options = {"position": self.position, "sliding_window": self.sliding_window}
            attention = self.new_attention(name, sequence_shape[-1], **options)
        if not attention.built:
            attention.build(sequence_shape, sequence_shape)
        return attention

    def build_end(self, sequence_shape: tuple) -> None:
        """Builds the feed-forward network and the residual connections."""
        if not self.feed_forward.built:
            self.feed_forward.build(sequence_shape)
        for residual in self.residuals:
            residual.build(sequence_shape)

    def end(self, x: Any, training: bool | None = None) -> Any:
        """Applies the feed-forward network, the last sublayer of every block."""
        residual = self.residuals[-1]
        change = self.feed_forward(residual.enter(x), training=training)
        return residual(x, change, training=training)

    def get_config(self) -> dict[str, Any]:
        position = self.position
        if isinstance(position, PositionScheme):
            position = keras.saving.serialize_keras_object(position)
        config = {
            **super().get_config(),
            "num_heads": self.num_heads,
            "key_dim": self.key_dim,
            "intermediate_dim": self.intermediate_dim,
            "activation": self.activation,
            "dropout": self.residuals[0].dropout,
            "attention_dropout": self.attention_dropout,
            "activation_dropout": self.activation_dropout,
            "pre_norm": self.residuals[0].pre_norm,
            "epsilon": self.residuals[0].epsilon,
            "position": position,
            "num_key_value_heads": self.num_key_value_heads,
            "sliding_window": self.sliding_window,
            "aggregate": self.aggregate,
            "tie_key_value": self.tie_key_value,
            "score": self.score if isinstance(self.score, str) else self.score.config(),
            "normalizer": self.normalizer,
            "attention_regularizer": keras.regularizers.serialize(self.attention_regularizer),
            "attention_bias": self.attention_bias,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
            "residual_initializer": keras.initializers.serialize(self.residual_initializer),
            "attention": self._attention
            and self._attention.config(self.attends_to_itself() if self.built else None),
            "feed_forward": self._feed_forward and self._feed_forward.config(self.feed_forward),
            "normalization": self.residuals[0].normalization_config(),
            **({"output_norm": True} if self.residuals[0].output_norm else {}),
            **({} if self.first_norm else {"first_norm": False}),
        }
        if self.built:  # own sublayers may be quantized, with all that are alike
            own = self.feed_forward if self._attention else self.attends_to_itself()
            config["dtype"] = own.get_config()["dtype"]
        return config

    def attends_to_itself(self) -> Any:
        """Returns the self-attention of the block, which has been built."""
        raise NotImplementedError


def heads_of(width: int, num_heads: int | None, key_dim: int | None) -> tuple[int, int]:
    """Returns the number of heads and the size of each: `key_dim`, or D / H.

    Args:
        width: Width D.
        num_heads: Number of heads H.
        key_dim: Size of each head, or None.

    Raises:
        ValueError: If `key_dim` is None and `num_heads` does not divide the width.
    """
    heads = num_heads or 0
    if key_dim is not None:
        return heads, key_dim
    if heads < 1 or width % heads:
        raise ValueError(
            f"num_heads must divide the width {width} if key_dim is not given; "
            f"received {num_heads}."
        )
    return heads, width // heads
