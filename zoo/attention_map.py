"""Attention weights of a layer, with the tokens of their rows and columns."""

from dataclasses import dataclass

import numpy as np

VISIBLE = {
    " ": "␣",
    "▁": "␣",
    "\n": "⏎",
    "\t": "⇥",
    "[START]": "⊢",
    "[END]": "⊣",
    "[PAD]": "·",
    "[UNK]": "�",
}


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """The attention weights of one layer for one input and its output.

    Args:
        weights: Array (H, T, S): for each head, a row of weights over the S input tokens for each
            of the T output tokens. H is 1 for attention without heads.
        source_tokens: The S input tokens.
        target_tokens: The T output tokens.
        name: Display name of the layer.

    Raises:
        ValueError: If the numbers of tokens do not match the shape of the weights.

    Example:
        >>> found = AttentionMap(np.eye(2)[None], ["c", "a"], ["C", "A"], "decoder attention")
        >>> found.heads, found.mean().tolist()
        (1, [[1.0, 0.0], [0.0, 1.0]])
    """

    weights: np.ndarray
    source_tokens: list[str]
    target_tokens: list[str]
    name: str

    def __post_init__(self):
        weights = np.asarray(self.weights, dtype="float32")
        expected = (len(self.target_tokens), len(self.source_tokens))
        if weights.ndim != 3 or weights.shape[1:] != expected:
            raise ValueError(
                f"`weights` must have shape (heads, {expected[0]}, {expected[1]}) for "
                f"{expected[0]} target and {expected[1]} source tokens, not {weights.shape}."
            )
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "source_tokens", list(self.source_tokens))
        object.__setattr__(self, "target_tokens", list(self.target_tokens))

    @property
    def heads(self) -> int:
        return self.weights.shape[0]

    def mean(self) -> np.ndarray:
        """The mean weights over the heads, (T, S)."""
        return self.weights.mean(axis=0)

    def plot(self, axes, head: int | None = None, color="tab:blue", font_size: float = 8):
        """Plots one head, or the mean over heads, on Matplotlib axes.

        Each weight is a square, more opaque for larger weights, so that the plot suits both light
        and dark backgrounds.

        Args:
            axes: Matplotlib axes.
            head: Number of the head; default the mean over heads.
            color: Color of the squares.
            font_size: Font size of the tokens.

        Returns:
            The axes.
        """
        from matplotlib.collections import PatchCollection
        from matplotlib.patches import Rectangle

        weights = self.mean() if head is None else self.weights[head]
        places = np.argwhere(weights > 0.004)  # smaller weights are invisible
        squares = [Rectangle((s - 0.46, t - 0.46), 0.92, 0.92) for t, s in places]
        alpha = np.clip(weights[tuple(places.T)], 0, 1)
        axes.add_collection(
            PatchCollection(squares, facecolor=color, edgecolor="none", linewidth=0, alpha=alpha)
        )
        _, target_count, source_count = self.weights.shape
        axes.set_xlim(-0.5, source_count - 0.5)
        axes.set_ylim(target_count - 0.5, -0.5)
        axes.set_aspect("equal")
        _label(axes.xaxis, self.source_tokens, font_size)
        _label(axes.yaxis, self.target_tokens, font_size)
        axes.xaxis.tick_top()
        axes.tick_params(length=0, pad=3)
        if any(len(visible(token)) > 2 for token in self.source_tokens):  # words are turned
            axes.tick_params(axis="x", labelrotation=90)
        return axes


def _label(axis, tokens, font_size):
    axis.set_ticks(range(len(tokens)), [visible(token) for token in tokens], fontsize=font_size)


def visible(token: str) -> str:
    """The label of a token; spaces and special tokens are replaced by symbols.

    Example:
        >>> [visible(token) for token in ("ma", " ", "[END]")]
        ['ma', '␣', '⊣']
    """
    return VISIBLE.get(token, token)
