"""The options in which Gemma's decoder differs from Llama's."""

from dataclasses import dataclass
from typing import Annotated, Any

from keras_attn.attention.dot_scores import ScaledDot, SoftCappedDot
from zoo.errors import UserError
from zoo.limits import Limits
from zoo.models.arguments import Positive, PositiveInt
from zoo.models.option_groups import OptionGroup
from zoo.option_names import option_name

SCALED_DOT = "scaled_dot"  # the score that a scale and a cap are of


@dataclass(frozen=True)
class GemmaOptions(OptionGroup):
    """The options in which Gemma's decoder differs from Llama's; the defaults are those of Llama.

    Source: Gemma team 2024 (Gemma 2), section 2; Gemma team 2025 (Gemma 3), section 2.

    Args:
        activation: Activation of the feed-forward networks, a gated linear unit: "swiglu", "geglu"
            or "geglu_tanh", as in Gemma.
        scale_embeddings: Whether embeddings are multiplied by `sqrt(D)`, as in Gemma.
        output_norm: Whether the output of each sublayer is normalized, too, as in Gemma.
        query_pre_attn_scalar: The number by whose square root attention scores are divided.
            Defaults to the size of each head.
        attention_soft_cap: Bound c of the attention scores, which become `c tanh(a / c)`; 50 in
            Gemma 2. Defaults to none.
        logit_soft_cap: Bound of the logits, likewise; 30 in Gemma 2. Defaults to none.
        global_layer_interval: Every n-th block attends to all positions, and only the others have
            `sliding_window`: 2 in Gemma 2, 6 in Gemma 3. Defaults to all blocks having it.
        local_rope_theta: Base of the rotary positions of blocks with `sliding_window`, which then
            have no `rope_scaling`; 10,000 in Gemma 3. Defaults to the positions of other blocks.

    Raises:
        UserError: If an option has another type, or is beyond its limits.

    Example:
        >>> options = GemmaOptions(global_layer_interval=3)
        >>> [options.is_global(number) for number in range(6)]
        [False, False, True, False, False, True]
    """

    activation: Annotated[str, Limits(choices=("swiglu", "geglu", "geglu_tanh"))] = "swiglu"
    scale_embeddings: bool = False
    output_norm: bool = False
    query_pre_attn_scalar: Positive | None = None
    attention_soft_cap: Positive | None = None
    logit_soft_cap: Positive | None = None
    global_layer_interval: PositiveInt | None = None
    local_rope_theta: Positive | None = None

    def is_global(self, number: int) -> bool:
        """Whether a block, counted from 0, attends to all positions in any case."""
        every = self.global_layer_interval
        return every is not None and (number + 1) % every == 0

    def check_windows(self, sliding_window: int | None, position: str) -> None:
        """Refuses options of blocks with a window in a model without them.

        Raises:
            UserError: If there is no window, or the positions are not rotary.
        """
        for name in ("global_layer_interval", "local_rope_theta"):
            if vars(self)[name] is not None and sliding_window is None:
                raise UserError(
                    f"{option_name(name)} requires {option_name('sliding_window')}, which the "
                    "other blocks have"
                )
        if self.local_rope_theta is not None and position != "rotary":
            raise UserError(
                f"{option_name('local_rope_theta')} requires position to be 'rotary'; received "
                f"{position!r}"
            )

    def score(self, given: str, dtype: Any = None) -> Any:
        """The score of the attention: the given one, or that with a scale or a cap.

        Raises:
            UserError: If another score is given than the one that they are of.
        """
        if self.query_pre_attn_scalar is None and self.attention_soft_cap is None:
            return given
        if given != SCALED_DOT:
            name = "attention_soft_cap" if self.attention_soft_cap else "query_pre_attn_scalar"
            raise UserError(f"{option_name(name)} requires score='scaled_dot'; received {given!r}")
        scalar = self.query_pre_attn_scalar
        scale = None if scalar is None else scalar**-0.5
        if self.attention_soft_cap is None:
            return ScaledDot(scale, dtype=dtype)
        return SoftCappedDot(self.attention_soft_cap, scale, dtype=dtype)
