"""Figures of the report: Matplotlib figures as SVG in the colors of the page."""

import io
import math
import warnings

from zoo.attention_map import AttentionMap
from zoo.report.inline_svg import inline

# Placeholders that are replaced in the SVG by the page's colors, so that figures suit both the
# light and the dark theme.
INK, FAINT, ACCENT, SECOND = "#010101", "#020202", "#030303", "#040404"
PAGE_COLORS = {INK: "--ink", FAINT: "--faint", ACCENT: "--accent", SECOND: "--second"}
CELL = 0.185  # size of a cell of an attention map, in inches
TICKS = 8.5  # points of the labels of axes


def curve(epochs: list[float], training: list[float], validation: list[float], best=None):
    """Plots one metric over the epochs; `best` marks the epoch whose weights were kept."""
    figure = new_figure(3.5, 2.0)
    axes = figure.add_axes((0.11, 0.14, 0.86, 0.8))
    for values, color, width in ((training, SECOND, 1.4), (validation, ACCENT, 1.9)):
        marker = "o" if len(epochs) == 1 else None
        axes.plot(epochs, values, color=color, linewidth=width, marker=marker, markersize=4)
    shown = validation if any(map(math.isfinite, validation)) else training
    if best in epochs and math.isfinite(shown[epochs.index(best)]):
        axes.plot([best], [shown[epochs.index(best)]], "o", color=ACCENT, markersize=4.5)
    plain_axes(axes)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, labelsize=TICKS, labelcolor=INK, pad=4)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.margins(x=0.03)
    return figure


def coverage(shares: list[float], accuracies: list[float]):
    """Plots the accuracy of the answers above a threshold by their share."""
    figure = new_figure(3.5, 2.0)
    axes = figure.add_axes((0.11, 0.14, 0.86, 0.8))
    axes.plot(shares, accuracies, color=ACCENT, linewidth=1.9)
    plain_axes(axes)
    axes.tick_params(length=0, labelsize=TICKS, labelcolor=INK, pad=4)
    axes.set_xlim(0, 1)
    named_axes(axes, "share of rows with an answer", "accuracy of these")
    return figure


def scatter(true, predicted):
    """Plots predicted by correct values, with the line on which they are equal."""
    figure = new_figure(3.5, 2.6)
    axes = figure.add_axes((0.13, 0.12, 0.84, 0.84))
    ends = [min(true), max(true)]
    axes.plot(ends, ends, color=SECOND, linewidth=1.2)
    axes.plot(true, predicted, "o", color=ACCENT, markersize=3, alpha=0.45, markeredgewidth=0)
    plain_axes(axes)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, labelsize=TICKS, labelcolor=INK, pad=4)
    named_axes(axes, "reference", "prediction")
    return figure


def named_axes(axes, x: str, y: str) -> None:
    """Gives both axes a title."""
    axes.set_xlabel(x, fontsize=TICKS, color=INK, labelpad=4)
    axes.set_ylabel(y, fontsize=TICKS, color=INK, labelpad=4)


def plain_axes(axes) -> None:
    """Leaves axes with a line below, and faint lines at the values."""
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.tick_params(length=0)


def attention(attention_map: AttentionMap, head: int | None = None):
    """Plots one head of an attention map, or the mean over heads, sized to its tokens."""
    rows, columns = len(attention_map.target_tokens), len(attention_map.source_tokens)
    figure = new_figure(CELL * columns, CELL * rows)
    axes = figure.add_axes((0, 0, 1, 1))
    attention_map.plot(axes, head, color=ACCENT, font_size=8)
    axes.tick_params(labelcolor=INK)
    for spine in axes.spines.values():
        spine.set_color(FAINT)
    return figure


def new_figure(width: float, height: float, layout=None):
    """Creates an empty figure (inches) without pyplot, which would keep it in memory."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), facecolor="none", layout=layout)


def svg(figure, name: str) -> str:
    """Converts a figure to an `<svg>` element; `name` makes its inner ids unique on the page."""
    import matplotlib
    from matplotlib.text import Text

    for axes in figure.axes:
        axes.set_facecolor("none")
    for text in figure.findobj(Text):  # which may be anyone's: a "$" in it is a "$"
        text.set_parse_math(False)
        text.set_usetex(False)
    options = {"svg.fonttype": "none", "svg.hashsalt": name}
    blank = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    out = io.StringIO()
    with matplotlib.rc_context(options), warnings.catch_warnings():
        # The browser renders the text, so glyphs missing in Matplotlib's font do not matter.
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*missing.*")
        figure.savefig(out, format="svg", metadata=blank, bbox_inches="tight", pad_inches=0.04)
    return inline(out.getvalue(), name, PAGE_COLORS)
