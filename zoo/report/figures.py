"""Figures of the report: Matplotlib figures as SVG in the colors of the page."""

import io
import math
import re
import warnings

from zoo.attention_map import AttentionMap

# Placeholders that are replaced in the SVG by the page's colors, so that figures suit both the
# light and the dark theme.
INK, FAINT, ACCENT, SECOND = "#010101", "#020202", "#030303", "#040404"
PAGE_COLORS = {INK: "--ink", FAINT: "--faint", ACCENT: "--accent", SECOND: "--second"}
CELL = 0.185  # size of a cell of an attention map, in inches


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
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, labelsize=7.5, labelcolor=INK, pad=4)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.margins(x=0.03)
    return figure


def attention(found: AttentionMap, head: int | None = None):
    """Plots one head of an attention map, or the mean over heads, sized to its tokens."""
    rows, columns = len(found.target_tokens), len(found.source_tokens)
    figure = new_figure(CELL * columns, CELL * rows)
    axes = figure.add_axes((0, 0, 1, 1))
    found.plot(axes, head, color=ACCENT, font_size=8)
    axes.tick_params(labelcolor=INK)
    for spine in axes.spines.values():
        spine.set_color(FAINT)
    return figure


def new_figure(width: float, height: float):
    """Creates an empty figure (inches) without pyplot, which would keep it in memory."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), facecolor="none")


def svg(figure, name: str) -> str:
    """Converts a figure to an `<svg>` element; `name` makes its inner ids unique on the page."""
    import matplotlib

    for axes in figure.axes:
        axes.set_facecolor("none")
    options = {"svg.fonttype": "none", "svg.hashsalt": name}
    blank = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    out = io.StringIO()
    with matplotlib.rc_context(options), warnings.catch_warnings():
        # The browser renders the text, so glyphs missing in Matplotlib's font do not matter.
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*missing.*")
        figure.savefig(out, format="svg", metadata=blank, bbox_inches="tight", pad_inches=0.04)
    return _adopt(out.getvalue(), name)


def _adopt(text: str, name: str) -> str:
    """Converts a stand-alone SVG file to an element of a page."""
    text = text[text.index("<svg") :]
    for element in ("metadata", r"style\b"):  # an inner <style> would apply to the whole page
        text = re.sub(rf"<{element}.*?</{element}>", "", text, flags=re.DOTALL)
    text = re.sub(r"font-family:[^;\"]*;? ?", "", text)
    text = re.sub(r' xmlns(:\w+)?="[^"]*"| version="[^"]*"', "", text)
    text = text.replace("xlink:href", "href")
    used = set(re.findall(r"#([\w-]+)", " ".join(re.findall(r'(?:url\(|href=")#[^")]+', text))))

    def rename(match):
        return f' id="{name}-{match[1]}"' if match[1] in used else ""

    text = re.sub(r' id="([^"]*)"', rename, text)
    text = re.sub(r'(url\(|href=")#', rf"\g<1>#{name}-", text)
    text = re.sub(r"(\d\.\d\d)\d+", r"\1", text)  # a hundredth of a pixel is enough
    text = re.sub(r"\s*\n\s*", " ", text).replace(" <", "<")
    for color, variable in PAGE_COLORS.items():
        text = text.replace(color, f"var({variable})")
    return text.strip()
