"""The options that the Transformer models share: attention, positions, normalization, output."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import keras

from keras_attn.attention.normalizers import NORMALIZERS, get_normalizer
from keras_attn.attention.scores import SCORES, check_sign, get_score
from keras_attn.blocks.residual import NORMALIZATIONS
from keras_attn.position.relative import ShawPositions
from keras_attn.position.scheme import PositionScheme
from keras_attn.regularizers import HeadDiversity
from zoo.errors import UserError
from zoo.limits import Limits
from zoo.models.arguments import NonNegative, PositiveInt, Rate
from zoo.models.option_groups import OptionGroup

FULL, LOCAL, LINEAR, RANDOM_FEATURE = "full", "local", "linear", "random_feature"
ATTENTIONS = (FULL, LOCAL, LINEAR, RANDOM_FEATURE)
PROJECT, CONCAT, MEAN = "project", "concat", "mean"
SINUSOIDAL, LEARNED, SHAW, NONE = "sinusoidal", "learned", "shaw", "none"
IN_ATTENTION = ("rotary", "alibi", SHAW)
POSITIONS = (SINUSOIDAL, LEARNED, *IN_ATTENTION, NONE)
SHAW_DISTANCE = 16  # Shaw et al. 2018, section 4.1
# Options of multi-head attention, which no other attention has, with their defaults.
OF_HEADS = {
    "num_key_value_heads": None,
    "aggregate": PROJECT,
    "tie_key_value": False,
    "score": "scaled_dot",
    "normalizer": "softmax",
    "head_diversity": 0.0,
}
# Options that decide which weights there are, and all that decide what is computed from them.
OF_WEIGHTS = (
    "normalization",
    "num_key_value_heads",
    "aggregate",
    "tie_key_value",
    "score",
    "position",
    "use_bias",
    "tie_embeddings",
)
COMPUTED = ("attention", "window", "normalizer", "max_distance", *OF_WEIGHTS)


@dataclass(frozen=True)
class TransformerOptions(OptionGroup):
    """The options that the Transformer models share: attention, positions, normalization, output.

    In an encoder-decoder, those of the heads, from `num_key_value_heads` to `head_diversity`, are
    also those of the attention from target to source.

    Args:
        attention: Self-attention of the blocks: "full" (`MultiHeadAttention`), "local"
            (`LocalAttention`), "linear" (`LinearAttention`) or "random_feature"
            (`RandomFeatureAttention`). The last two have no attention weights to drop.
        window: Maximum distance that "local" attention bridges in each block.
        normalization: "layer" or "rms" normalization.
        num_key_value_heads: Number of heads of keys and values, which groups of the H heads share
            (grouped-query attention; 1: multi-query attention). Defaults to H.
        aggregate: How heads are combined: "project" (concatenated and projected), "concat"
            (concatenated) or "mean" (averaged, each as wide as the hidden states).
        tie_key_value: Whether keys and values share one projection.
        score: "dot", "scaled_dot", "exp_dot", "general", "additive", "concat" or "cosine".
        normalizer: "softmax", "ratio" (with "exp_dot"), "sparsemax", "entmax15" or "sigmoid".
        head_diversity: Weight of a penalty on heads that attend to the same positions, the sum over
            the layers of `|A A^T - I|^2` (see `HeadDiversity`). It is part of the training loss,
            and a column of the history.
        position: "sinusoidal" or "learned" position embeddings; "rotary", "alibi" or "shaw"
            positions in full self-attention; or "none".
        max_distance: Largest distance with its own embedding, with "shaw". Defaults to 16.
        activation_dropout: Dropout rate after the activation of the feed-forward networks.
        use_bias: Whether the logits of tokens have a bias.
        tie_embeddings: Whether the logits of tokens use the matrix of the embeddings, instead of
            one of their own.

    Raises:
        UserError: If an option is unknown, or requires another.

    Example:
        >>> TransformerOptions("local", window=64, position="none").has_maps
        True
    """

    attention: Annotated[str, Limits(choices=ATTENTIONS)] = FULL
    window: PositiveInt | None = None
    normalization: Annotated[str, Limits(choices=tuple(NORMALIZATIONS))] = "layer"
    num_key_value_heads: PositiveInt | None = None
    aggregate: Annotated[str, Limits(choices=(PROJECT, CONCAT, MEAN))] = PROJECT
    tie_key_value: bool = False
    score: Annotated[str, Limits(choices=tuple(SCORES))] = "scaled_dot"
    normalizer: Annotated[str, Limits(choices=tuple(NORMALIZERS))] = "softmax"
    head_diversity: NonNegative = 0.0
    position: Annotated[str, Limits(choices=POSITIONS)] = LEARNED
    max_distance: PositiveInt | None = None
    activation_dropout: Rate = 0.0
    use_bias: bool = False
    tie_embeddings: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.window is not None) != (self.attention == LOCAL):
            raise UserError(
                "window is required with attention='local', and only there; received "
                f"attention={self.attention!r} and window={self.window!r}"
            )
        if self.attention != FULL:
            self._check_not_full()
        if self.tie_key_value and self.aggregate == MEAN:
            raise UserError(
                "tie_key_value requires aggregate='project' or 'concat', since heads that are "
                "averaged have wider values than keys; received 'mean'"
            )
        if self.max_distance is not None and self.position != SHAW:
            raise UserError(f"max_distance requires position='shaw'; received {self.position!r}")
        score, normalizer = get_score(self.score), get_normalizer(self.normalizer)
        try:
            check_sign(score, normalizer, f"score={self.score!r}")
        except ValueError as error:
            raise UserError(error) from None

    def _check_not_full(self) -> None:
        """Refuses options of multi-head attention with another one."""
        values = vars(self)
        for name, usual in OF_HEADS.items():
            if values[name] != usual:
                raise UserError(f"{name} requires attention='full'; received {self.attention!r}")
        if self.position in IN_ATTENTION:
            raise UserError(
                f"position {self.position!r} requires attention='full'; received "
                f"attention={self.attention!r}"
            )

    def in_attention(self, dtype: Any = None) -> PositionScheme | str | None:
        """The positions inside the attention of one block, which may have weights of their own."""
        if self.position == SHAW:
            return ShawPositions(self.max_distance or SHAW_DISTANCE, dtype=dtype)
        return self.position if self.position in IN_ATTENTION else None

    def of_heads(self) -> dict[str, Any]:
        """Arguments of `MultiHeadAttention`, and of the blocks that create it."""
        penalty = HeadDiversity(self.head_diversity) if self.head_diversity else None
        return {
            "num_key_value_heads": self.num_key_value_heads,
            "aggregate": self.aggregate,
            "tie_key_value": self.tie_key_value,
            "score": self.score,
            "normalizer": self.normalizer,
            "attention_regularizer": penalty,
        }

    def penalty(self) -> keras.metrics.Mean | None:
        """A new metric for the log of the penalty `head_diversity`, or None without it."""
        return keras.metrics.Mean(name="head_diversity") if self.head_diversity else None

    @property
    def has_maps(self) -> bool:
        """Whether the blocks can show their attention weights."""
        return self.attention in (FULL, LOCAL)

    @property
    def is_learned(self) -> bool:
        """Whether there is a limited number of position embeddings."""
        return self.position == LEARNED


def check_usual(
    options: TransformerOptions,
    usual: TransformerOptions,
    what: str,
    names: Iterable[str] = COMPUTED,
) -> None:
    """Checks that a model computes what another library's models do.

    Args:
        options: The options of the model.
        usual: The options that are required.
        what: What requires them, the start of the message.
        names: The options that count. Defaults to all that do not only change training.

    Raises:
        UserError: If there are others.

    Example:
        >>> check_usual(
        ...     TransformerOptions("linear"), TransformerOptions(), "a checkpoint of GPT-2"
        ... )
        Traceback (most recent call last):
        zoo.errors.UserError: a checkpoint of GPT-2 requires attention='full', got 'linear'
    """
    values, required = vars(options), vars(usual)
    for name in names:
        if values[name] != required[name]:
            raise UserError(f"{what} requires {name}={required[name]!r}, got {values[name]!r}")
