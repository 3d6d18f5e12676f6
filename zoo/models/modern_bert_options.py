"""The options in which ModernBERT's encoder differs from BERT's."""

from dataclasses import dataclass
from typing import Annotated, Any

import keras

from keras_attn.blocks.encoder import EncoderBlock
from keras_attn.blocks.normalization import LayerNormalization
from keras_attn.position.rotary import RotaryPositions
from zoo.errors import UserError
from zoo.limits import Limits
from zoo.models.arguments import Positive, PositiveInt
from zoo.models.option_groups import OptionGroup
from zoo.models.pooling import POOLINGS
from zoo.models.transformer_blocks import TransformerBlocks
from zoo.models.transformer_options import FULL, TransformerOptions
from zoo.option_names import option_name


@dataclass(frozen=True)
class ModernBertOptions(OptionGroup):
    """The options in which ModernBERT's encoder differs from BERT's; the defaults are BERT's.

    Source: Warner et al. 2024 (ModernBERT), section 2.1.

    Args:
        pre_norm: Whether the input of each sublayer is normalized, instead of the sum; but not that
            of the first, which is normalized as embeddings are. There is a last normalization.
        layer_bias: Whether the blocks, the normalizations and the hidden layers of heads have
            biases.
        rope_theta: Base of rotary positions, whose pairs are halves apart, as in Llama. Defaults to
            10,000 and neighbouring pairs.
        local_rope_theta: That of blocks with `sliding_window`. Defaults to `rope_theta`.
        sliding_window: Number of positions on either side that a position attends to, including its
            own. Defaults to all of them.
        global_layer_interval: Every n-th block, from the first on, attends to all positions, and
            only the others have `sliding_window`. Defaults to all blocks having it.
        pooler_pooling: What the pooler reads: "cls", the first token, or the "mean" of all.
        pooler_norm: Whether the output of the pooler is normalized.
        pooler_of_tokens: Whether heads for tokens read them through the pooler, too.

    Raises:
        UserError: If an option has another type, or is beyond its limits.

    Example:
        >>> options = ModernBertOptions(sliding_window=65, global_layer_interval=3)
        >>> [options.window_of(number) for number in range(4)]
        [None, 65, 65, None]
    """

    pre_norm: bool = False
    layer_bias: bool = True
    rope_theta: Positive | None = None
    local_rope_theta: Positive | None = None
    sliding_window: PositiveInt | None = None
    global_layer_interval: PositiveInt | None = None
    pooler_pooling: Annotated[str, Limits(choices=POOLINGS)] = "cls"
    pooler_norm: bool = False
    pooler_of_tokens: bool = False

    def check(self, options: TransformerOptions, shares_position: bool) -> None:
        """Refuses options that require others of the model.

        Args:
            options: The options that Transformer models share.
            shares_position: Whether all blocks share a bias by distance.

        Raises:
            UserError: If one does.
        """
        values = vars(self)
        of_full = ("sliding_window", "rope_theta", "local_rope_theta")
        given = next((name for name in of_full if values[name] is not None), None)
        name = given or (None if self.layer_bias else "layer_bias")
        if name is not None and (options.attention != FULL or shares_position):
            raise UserError(
                f"{option_name(name)} requires attention='full' and no bias by distance"
            )
        if given in ("rope_theta", "local_rope_theta") and options.position != "rotary":
            raise UserError(
                f"{option_name(given)} requires position='rotary'; received {options.position!r}"
            )
        if self.local_rope_theta is not None and self.rope_theta is None:
            raise UserError(f"{option_name('local_rope_theta')} requires rope_theta")
        for name in ("global_layer_interval", "local_rope_theta"):
            if values[name] is not None and self.sliding_window is None:
                raise UserError(
                    f"{option_name(name)} requires {option_name('sliding_window')}, which the "
                    "other blocks have"
                )
        if not self.layer_bias and options.normalization != "layer":
            raise UserError("layer_bias=False requires normalization='layer'")

    def window_of(self, number: int) -> int | None:
        """The window of a block, counted from 0."""
        every = self.global_layer_interval
        return None if every is not None and number % every == 0 else self.sliding_window

    def encoder(self, new: TransformerBlocks, number: int) -> EncoderBlock:
        """A new block of an encoder, counted from 0."""
        if self == ModernBertOptions():
            return new.encoder(f"block_{number}")
        return new.encoder(f"block_{number}", **self._of_block(new, number))

    def _of_block(self, new: TransformerBlocks, number: int) -> dict[str, Any]:
        """Arguments of a block in place of those that all blocks have."""
        window = self.window_of(number)
        theta = self.rope_theta
        if window is not None and self.local_rope_theta is not None:
            theta = self.local_rope_theta
        changed: dict[str, Any] = {"pre_norm": self.pre_norm}
        if self.pre_norm and number == 0:
            changed["first_norm"] = False
        if window is not None:
            changed["sliding_window"] = window
        if theta is not None:
            changed["position"] = RotaryPositions("halves", theta, dtype=new.dtype)
        if not self.layer_bias:
            changed |= {
                "attention_bias": False,
                "feed_forward": new.feed_forward_without_bias(),
                "normalization": self.norm(new),
            }
        return changed

    def norm(self, new: TransformerBlocks, name: str | None = None) -> keras.Layer:
        """A new normalization."""
        if self.layer_bias:
            return new.norm(name or "norm")
        return LayerNormalization(
            epsilon=new.epsilon, center=False, dtype=new.dtype, **({"name": name} if name else {})
        )
