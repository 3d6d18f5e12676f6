"""The attention maps of one input, to look at in a notebook or in a terminal."""

from zoo import notebook
from zoo.attention_map import AttentionMap, label

SHADES = " ░▒▓█"
MOST = 24  # tokens of a side that are printed


class AttentionMaps(list[AttentionMap]):
    """A list of attention maps that a notebook shows, one below the other.

    Example:
        >>> import numpy as np
        >>> maps = AttentionMaps([AttentionMap(np.eye(2)[None], ["c", "a"], ["C", "A"], "cross_0")])
        >>> maps.show()
        cross attention, layer 1, mean of 1 heads; columns: c a
        C ██
        A   ██
    """

    def show(self) -> None:
        """Prints the maps as text; a notebook shows them as `display(maps)` does, with colors."""
        if not notebook.display(self):
            print(self.text())

    def text(self) -> str:
        """The maps as text: a row for each token, the darker the larger the weight."""
        return "\n\n".join(map(_text, self)) or "the model shows no attention"

    def _repr_html_(self) -> str:
        return "".join(each._repr_html_() for each in self) or "<p>no attention</p>"


def _text(shown: AttentionMap) -> str:
    columns = " ".join(label(token) for token in shown.source_tokens[:MOST])
    names = [label(token) for token in shown.target_tokens[:MOST]]
    width = max(map(len, names), default=0)
    remark = f" ({shown.remark})" if shown.remark else ""
    lines = [f"{shown.title}, mean of {shown.heads} heads{remark}; columns: {columns}"]
    for name, weights in zip(names, shown.mean()[:MOST, :MOST].tolist(), strict=False):
        shades = "".join(2 * SHADES[round(4 * min(max(x, 0.0), 1.0))] for x in weights)
        lines.append(f"{name:{width}} {shades}".rstrip())
    return "\n".join(lines)
