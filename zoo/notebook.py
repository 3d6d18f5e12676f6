"""Tables, curves and attention maps as HTML, for `_repr_html_`, and where notebooks show them."""

import math
import sys
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np

COLORS = ("#4c78c8", "#d9822b")  # that can be seen on white and on black
WIDTH, HEIGHT, LABEL = 360, 140, 60  # of curves, in pixels
MOST = 64  # tokens of an attention map that are shown on a side


class HasHtml(Protocol):
    """What a notebook shows as HTML."""

    def _repr_html_(self) -> str: ...


def display(shown: HasHtml) -> bool:
    """Shows something below a cell of the notebook that this process serves, if it does.

    Returns:
        Whether it was shown.
    """
    from rich.console import Console

    if "IPython" not in sys.modules or not Console().is_jupyter:
        return False
    sys.modules["IPython"].display.display(shown)
    return True


def cell(value: object) -> str:
    """The content of a cell: numbers with four digits, texts without their meaning in HTML.

    Example:
        >>> cell(0.123456), cell("<b>")
        ('0.1235', '<bdi>&lt;b&gt;</bdi>')
    """
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"<bdi>{escape(str(value))}</bdi>" if isinstance(value, str) else escape(str(value))


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table; all columns but the first are aligned as numbers."""
    sides = ["left", *["right"] * (len(header) - 1)]

    def row(tag: str, cells: Sequence[str]) -> str:
        aligned = zip(sides, cells, strict=True)
        inside = "".join(f'<{tag} style="text-align:{side}">{x}</{tag}>' for side, x in aligned)
        return f"<tr>{inside}</tr>"

    body = "".join(row("td", [cell(each) for each in cells]) for cells in rows)
    head = row("th", [escape(each) for each in header])
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"


def curves(steps: Sequence[float], values: Mapping[str, Sequence[float | None]]) -> str:
    """Up to two curves over the same steps as SVG; nothing if there is no number."""
    known = {
        name: [
            (x, y) for x, y in zip(steps, each, strict=True) if y is not None and math.isfinite(y)
        ]
        for name, each in values.items()
    }
    every = [y for points in known.values() for _, y in points]
    if not every:
        return ""
    low, high = min(every), max(every)
    first, last = min(steps), max(steps)

    def at(x: float, y: float) -> str:
        right = LABEL + (x - first) / max(last - first, 1e-9) * (WIDTH - LABEL - 10)
        down = 10 + (high - y) / max(high - low, 1e-9) * (HEIGHT - 30)
        return f"{right:.1f},{down:.1f}"

    lines, names = [], []
    for index, (color, (name, points)) in enumerate(zip(COLORS, known.items(), strict=False)):
        line = " ".join(at(x, y) for x, y in points)
        lines.append(
            f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>'
            if len(points) > 1
            else "".join(
                f'<circle cx="{spot[0]}" cy="{spot[1]}" r="3" fill="{color}"/>'
                for spot in (at(*point).split(",") for point in points)
            )
        )
        names.append(
            f'<text x="{LABEL + 100 * index}" y="{HEIGHT - 4}" font-size="11" fill="{color}">'
            f"{escape(name)}</text>"
        )
    ends = "".join(
        f'<text x="{LABEL - 6}" y="{y}" font-size="11" text-anchor="end" fill="currentColor">'
        f"{value:.4g}</text>"
        for value, y in ((high, 14), (low, HEIGHT - 17))
    )
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'aria-label="{escape(" and ".join(known))} by epoch">{ends}{"".join(lines + names)}</svg>'
    )


def heat_map(weights: "np.ndarray", rows: Sequence[str], columns: Sequence[str]) -> str:
    """Weights (T, S) of 0 to 1 as a table whose cells are as dark as the weight."""
    shown = weights[:MOST, :MOST]

    def square(weight: float) -> str:
        share = min(max(float(weight), 0.0), 1.0)
        return (
            f'<td title="{share:.3f}" style="width:1.1em;padding:0;'
            f'background:rgba(76,120,200,{share:.3f})"></td>'
        )

    upright = "writing-mode:vertical-rl;padding:2px 0;font-weight:normal"
    head = "".join(f'<th style="{upright}">{cell(each)}</th>' for each in columns[:MOST])
    body = "".join(
        f'<tr><th style="text-align:right;font-weight:normal">{cell(name)}</th>'
        f"{''.join(map(square, weights))}</tr>"
        for name, weights in zip(rows, shown, strict=False)
    )
    left = max(len(rows), len(columns)) - MOST
    more = f"<caption>the first {MOST} tokens</caption>" if left > 0 else ""
    return f'<table style="border-collapse:collapse">{more}<tr><td></td>{head}</tr>{body}</table>'
