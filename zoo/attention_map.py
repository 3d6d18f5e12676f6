"""What a model looked at: weights with the names of their rows and columns, ready to plot."""

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
    """The attention weights of one layer for one source and what was written from it.

    Args:
        weights: array (H, T, S); row t of a head tells how much each source position counted when
            target position t was written. H is 1 for attention that has no heads.
        source_tokens: S strings, the columns.
        target_tokens: T strings, the rows.
        name: the layer, as people should read it.

    Raises:
        ValueError: the numbers of tokens are not the weights' two last axes.

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
        """The weights (T, S), averaged over the heads."""
        return self.weights.mean(axis=0)

    def plot(self, axes, head: int | None = None, color="tab:blue", font_size: float = 8):
        """Draws one head, or the mean of all, on Matplotlib axes, a square a weight.

        The squares are of one colour, the more opaque the larger the weight, so that the drawing
        looks right on a light ground and on a dark one.
        """
        from matplotlib.collections import PatchCollection
        from matplotlib.patches import Rectangle

        weights = self.mean() if head is None else self.weights[head]
        places = np.argwhere(weights > 0.004)  # what the eye cannot see is left out
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
        if any(len(visible(token)) > 2 for token in self.source_tokens):  # words go upwards
            axes.tick_params(axis="x", labelrotation=90)
        return axes


def _label(axis, tokens, font_size):
    axis.set_ticks(range(len(tokens)), [visible(token) for token in tokens], fontsize=font_size)


def visible(token: str) -> str:
    """A token as a label: blanks and special tokens as the signs that stand for them.

    Example:
        >>> [visible(token) for token in ("ma", " ", "[END]")]
        ['ma', '␣', '⊣']
    """
    return VISIBLE.get(token, token)
