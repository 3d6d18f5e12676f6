"""Attention maps: attention weights with the tokens of their rows and columns."""

import re
from dataclasses import dataclass

import numpy as np

from zoo import notebook

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
EVEN = 0.97  # evenness above which a map shows nothing
LONGEST = 32  # characters of a label in a picture
# Controls, halves of surrogate pairs, and what is no character: neither HTML nor SVG may have them.
UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """Attention weights of one layer for one input.

    In self-attention, source and target are the same text.

    Args:
        weights: Array (H, T, S) of the weight of source position s for target position t in each
            head. H is 1 for attention without heads.
        source_tokens: Tokens of the columns, S strings.
        target_tokens: Tokens of the rows, T strings.
        name: Name of the layer in artifacts, such as "cross_0".

    Raises:
        ValueError: If the numbers of tokens differ from the last two axes of the weights.

    Example:
        >>> shown = AttentionMap(np.eye(2)[None], ["c", "a"], ["C", "A"], "decoder attention")
        >>> shown.heads, shown.mean().tolist()
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
    def title(self) -> str:
        """The name for display: "cross attention, layer 1" for "cross_0"."""
        part, _, layer = self.name.rpartition("_")
        return f"{part} attention, layer {int(layer) + 1}" if layer.isdigit() else self.name

    @property
    def heads(self) -> int:
        return self.weights.shape[0]

    def mean(self) -> np.ndarray:
        """The mean weights over the heads, (T, S)."""
        return self.weights.mean(axis=0)

    def evenness(self) -> float:
        """How evenly the weights are distributed: 1 if a model looks at everything alike.

        Formula: mean over heads and rows of `-sum(w log(w)) / log(n)`, n the number of weights
            above 0 of a row (Shannon 1948, divided by its maximum); rows with one weight do not
            count.

        Returns:
            A number between 0 and 1; 0 if no row has two weights above 0.

        Example:
            >>> weights = np.array([[[0.5, 0.5], [1.0, 0.0]]])
            >>> AttentionMap(weights, ["c", "a"], ["C", "A"], "cross_0").evenness()
            1.0
        """
        weights = self.weights.astype("float64").reshape(-1, self.weights.shape[2])
        counts = (weights > 0).sum(axis=1)
        weights = weights[counts > 1]
        if not len(weights):
            return 0.0
        entropy = -np.sum(weights * np.log(np.where(weights > 0, weights, 1.0)), axis=1)
        return float(np.mean(entropy / np.log(counts[counts > 1])))

    @property
    def remark(self) -> str:
        """What to know before one reads something into the map; empty if there is nothing."""
        if self.evenness() <= EVEN:
            return ""
        return "nearly even weights: the model has not learned to look at anything here"

    def _repr_html_(self) -> str:
        rows, columns = (
            [label(token) for token in each] for each in (self.target_tokens, self.source_tokens)
        )
        shown = notebook.heat_map(self.mean(), rows, columns)
        remark = f" ({self.remark})" if self.remark else ""
        return f"<p>{notebook.cell(self.title)}, mean of {self.heads} heads{remark}</p>{shown}"

    def plot(self, axes, head: int | None = None, color="tab:blue", font_size: float = 8):
        """Plots the weights as squares whose opacity is the weight, which suits any background.

        Args:
            axes: Matplotlib axes.
            head: Index of the head to plot. If None, plots the mean of all heads.
            color: Color of the squares.
            font_size: Font size of the tokens.

        Returns:
            The axes.
        """
        from matplotlib.collections import PatchCollection
        from matplotlib.patches import Rectangle

        weights = self.mean() if head is None else self.weights[head]
        cells = np.argwhere(weights > 0.004)  # smaller weights would be too faint to see
        squares = [Rectangle((s - 0.46, t - 0.46), 0.92, 0.92) for t, s in cells]
        alpha = np.clip(weights[tuple(cells.T)], 0, 1)
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
        if any(len(visible(token)) > 2 for token in self.source_tokens):  # words need more space
            axes.tick_params(axis="x", labelrotation=90)
        return axes


def _label(axis, tokens, font_size):
    labels = [label(token) for token in tokens]
    axis.set_ticks(range(len(tokens)), labels, fontsize=font_size, parse_math=False)


def visible(token: str) -> str:
    """A token as text, with symbols for whitespace, special tokens and what cannot be shown.

    Example:
        >>> [visible(token) for token in ("ma", " ", "[END]", "a\\nb", "\\x00")]
        ['ma', '␣', '⊣', 'a⏎b', '�']
    """
    return VISIBLE.get(token) or UNSEEN.sub(lambda match: VISIBLE.get(match[0], "�"), token)


def label(text: str) -> str:
    """A visible text in a picture, which has no room for a long one.

    Example:
        >>> label("a" * 1000)
        'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…'
    """
    shown = visible(text)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"
