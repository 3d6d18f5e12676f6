"""Llama: the decoder-only Transformer of Llama, Mistral, SmolLM, Qwen and Gemma."""

from typing import Any

import keras

from keras_attn.attention.multi_head import MultiHeadAttention
from keras_attn.blocks.encoder import EncoderBlock
from keras_attn.blocks.feed_forward import FeedForward
from keras_attn.blocks.residual import NORMALIZATIONS
from keras_attn.blocks.rms_normalization import RMSNormalization
from keras_attn.blocks.transformer_block import heads_of
from keras_attn.dropout import Dropout
from keras_attn.position.rotary import RotaryPositions
from zoo.errors import UserError
from zoo.models.arguments import FromTask, NonNegative, Positive, PositiveInt, Rate
from zoo.models.bias import Bias
from zoo.models.causal_transformer import CausalTransformer
from zoo.models.config import config_of
from zoo.models.gemma_options import GemmaOptions
from zoo.models.reversible_embedding import ReversibleEmbedding
from zoo.models.transformer_options import (
    FULL,
    IN_ATTENTION,
    MEAN,
    NONE,
    PROJECT,
    TransformerOptions,
)
from zoo.option_names import option_name

OPTIONS = TransformerOptions(normalization="rms", position="rotary")
GEMMA = GemmaOptions()


@keras.saving.register_keras_serializable(package="keras_attn")
class Llama(CausalTransformer):
    """A stack of causal Transformer blocks with rotary positions, SwiGLU and RMS normalization.

    With `gemma`, they are those of Gemma 2 and 3.

    Source: Touvron et al. 2023, section 2.2; grouped-query attention: Ainslie et al. 2023; biases:
        Qwen team 2024 (Qwen2), section 2.2.1; normalized queries and keys: Qwen team 2025 (Qwen3);
        windows: Jiang et al. 2023 (Mistral 7B), section 2; blocks without positions: Yang et al.
        2025 ("Rope to Nope and Back Again"), section 3, as in SmolLM3; Gemma team 2024 and 2025.
    Formula: `x_0 = E[ids]`, N blocks `h = x + A(R(x))`, `x = h + F(R(h))` with a causal mask;
        `logits = R(x_N) W`, R being the RMS normalization, A attention with rotary positions,
        `F(x) = (x W_1 * silu(x W_2)) W_3`, and `W = E^T` with `tie_embeddings`. Biases are
        those that are chosen. Kernels and embeddings start from N(0, 0.02), and those whose outputs
        are added to the residual stream from N(0, 0.02 / sqrt(2 N)) (Radford et al. 2019, 2.3)

    Args:
        vocabulary_size: Number of tokens V.
        num_layers: Number of blocks N.
        hidden_dim: Width D of the hidden states.
        num_heads: Number of attention heads H.
        intermediate_dim: Width between the layers of each feed-forward network.
        key_dim: Size of each head. Defaults to D / H.
        rope_theta: Base of the rotary positions: the ratio of the longest wavelength to the
            shortest.
        rope_scaling: Change of the rotary positions for longer texts, with the keys of Hugging
            Face's `rope_parameters`: "linear", "llama3" or "yarn" as `rope_type`, and its
            arguments.
        dropout: Dropout rate of the embeddings and of each sublayer's output.
        attention_dropout: Dropout rate of the attention weights.
        epsilon: Epsilon of the normalizations.
        qkv_bias: Whether the projections of queries, keys and values have biases, as in Qwen2.
        qk_norm: Whether each head of queries and of keys has an RMS normalization before its
            positions, as in Qwen3.
        sliding_window: Number of positions that a position can attend to: its own and those before
            it, as in Mistral. Defaults to all of them.
        no_rope_layer_interval: Every n-th block has no rotary positions, as in SmolLM3, whose n is
            4. Defaults to none.
        options: Attention, positions, normalization and output; see `TransformerOptions`. Attention
            is "full", and `position` one that is inside of it, or "none".
        gemma: What differs in Gemma: scales, caps, windows of some blocks alone; see
            `GemmaOptions`.

    Inputs: `token_ids`, `padding_mask` (B, T).
    Outputs: `logits` (B, T, V), float32.

    Raises:
        ValueError: If `num_heads` does not divide `hidden_dim` and `key_dim` is not given,
            `num_key_value_heads` does not divide `num_heads`, the size of a head is odd, or
            `rope_scaling` is not valid, `attention` or `position` is another, or
            `no_rope_layer_interval` is given with positions that are not rotary, or an option of
            Gemma requires another.

    Example:
        >>> model = Llama(23, num_layers=1, hidden_dim=8, num_heads=2, intermediate_dim=16)
        >>> sorted(model.input), model.output["logits"].shape
        (['padding_mask', 'token_ids'], (None, None, 23))
    """

    def __init__(
        self,
        vocabulary_size: FromTask[PositiveInt],
        num_layers: PositiveInt = 32,
        hidden_dim: PositiveInt = 4096,
        num_heads: PositiveInt = 32,
        intermediate_dim: PositiveInt = 11_008,
        key_dim: PositiveInt | None = None,
        rope_theta: Positive = 10_000.0,
        rope_scaling: dict[str, Any] | None = None,
        dropout: Rate = 0.0,
        attention_dropout: Rate = 0.0,
        epsilon: NonNegative = 1e-5,
        qkv_bias: bool = False,
        qk_norm: bool = False,
        sliding_window: PositiveInt | None = None,
        no_rope_layer_interval: PositiveInt | None = None,
        options: TransformerOptions = OPTIONS,
        gemma: GemmaOptions = GEMMA,
        dtype: Any = None,
        name: str = "llama",
        **kwargs: Any,
    ) -> None:
        self._config = config_of(Llama, locals())
        # === Layers ===
        kernels = keras.initializers.RandomNormal(stddev=0.02)
        to_residual = keras.initializers.RandomNormal(stddev=0.02 * (2 * num_layers) ** -0.5)
        heads, size = heads_of(hidden_dim, num_heads, key_dim)
        check_options(options)
        gemma.check_windows(sliding_window, options.position)
        if no_rope_layer_interval is not None and options.position != "rotary":
            raise UserError(
                f"{option_name('no_rope_layer_interval')} requires position to be 'rotary'; "
                f"received {options.position!r}"
            )

        def window_of(number: int) -> int | None:
            return None if gemma.is_global(number) else sliding_window

        def new_position(number: int) -> Any:
            if no_rope_layer_interval is not None and (number + 1) % no_rope_layer_interval == 0:
                return None
            if gemma.local_rope_theta is not None and window_of(number) is not None:
                return RotaryPositions("halves", gemma.local_rope_theta, dtype=dtype)
            if options.position == "rotary":
                return RotaryPositions("halves", rope_theta, rope_scaling, dtype=dtype)
            return options.in_attention(dtype)

        def new_norm() -> keras.layers.Layer:
            return RMSNormalization(epsilon=epsilon, dtype=dtype)

        def new_block(number: int) -> EncoderBlock:
            attention = MultiHeadAttention(
                heads,
                size,
                hidden_dim if options.aggregate == MEAN else None,
                position=new_position(number),
                sliding_window=window_of(number),
                use_bias=qkv_bias,
                use_output_bias=False,
                query_key_normalization=new_norm() if qk_norm else None,
                dropout=attention_dropout,
                kernel_initializer=kernels,
                output_kernel_initializer=to_residual if options.aggregate == PROJECT else None,
                dtype=dtype,
                name="attention",
                **{**options.of_heads(), "score": gemma.score(options.score, dtype)},
            )
            feed_forward = FeedForward(
                intermediate_dim,
                gemma.activation,
                options.activation_dropout,
                kernel_initializer=kernels,
                residual_initializer=to_residual,
                use_bias=False,
                dtype=dtype,
                name="feed_forward",
            )
            return EncoderBlock(
                attention=attention,
                feed_forward=feed_forward,
                normalization=options.normalization,
                pre_norm=True,
                dropout=dropout,
                epsilon=epsilon,
                output_norm=gemma.output_norm,
                dtype=dtype,
                name=f"block_{number}",
            )

        self.hidden_dim, self.options = hidden_dim, options
        self.embedding_scale = hidden_dim**0.5 if gemma.scale_embeddings else None
        self.logit_soft_cap = gemma.logit_soft_cap
        self.head_diversity = options.penalty()
        self.embedding = ReversibleEmbedding(
            vocabulary_size,
            hidden_dim,
            tie_weights=options.tie_embeddings,
            embeddings_initializer=kernels,
            dtype=dtype,
            name="embedding",
        )
        self.drop = Dropout(dropout, dtype=dtype, name="embedding_dropout")
        self.blocks = [new_block(number) for number in range(num_layers)]
        self.norm = NORMALIZATIONS[options.normalization](epsilon=epsilon, dtype=dtype, name="norm")
        self.bias = Bias(dtype="float32", name="logits_bias") if options.use_bias else None

        # === Functional model ===
        super().__init__(**self.functional(), name=name, **kwargs)

    @property
    def peft_modules(self) -> dict[str, str]:
        """The names in Hugging Face's library of the parts that low-rank updates change."""
        parts = {"attention": "self_attn", "feed_forward": "mlp"}
        return {
            f"{block.name}/{ours}": f"model.layers.{number}.{theirs}"
            for number, block in enumerate(self.blocks)
            for ours, theirs in parts.items()
        }


def check_options(options: TransformerOptions) -> None:
    """Refuses what the blocks of Llama cannot have.

    Raises:
        UserError: If the attention is not full, or positions are added to the embeddings.

    Example:
        >>> check_options(TransformerOptions(position="learned"))
        Traceback (most recent call last):
        zoo.errors.UserError: llama requires position to be one of rotary, alibi, shaw, none; \
received 'learned'
    """
    if options.attention != FULL:
        raise UserError(f"llama requires attention='full'; received {options.attention!r}")
    choices = (*IN_ATTENTION, NONE)
    if options.position not in choices:
        raise UserError(
            f"llama requires position to be one of {', '.join(choices)}; received "
            f"{options.position!r}"
        )
