"""Charts of forecasts as SVG, for `_repr_html_`."""

import math
from collections.abc import Callable, Sequence
from html import escape

from zoo.notebook import COLORS

At = Callable[[int, float], str]  # the place of a value of a step
APART = 0.45, 0.78  # share of the width at which a time does not cover the first and the last
WIDTH, HEIGHT, LEFT, EDGE = 560, 200, 60, 24  # in pixels


def fan(
    past: Sequence[float], ahead: Sequence[Sequence[float]], median: int, times: Sequence[str]
) -> str:
    """The last values of a series, and the median of a forecast in bands of its quantiles.

    Args:
        past: The values, NaN where missing.
        ahead: Quantiles (H, Q) of the next H values.
        median: The index of the median.
        times: The times of the first value, of the first step ahead, and of the last.
    """
    every = [x for x in [*past, *(x for step in ahead for x in step)] if math.isfinite(x)]
    if not every:
        return ""
    low, high, last = min(every), max(every), len(past) + len(ahead) - 1

    def x(step: int) -> float:
        return LEFT + step / max(last, 1) * (WIDTH - LEFT - EDGE)

    def at(step: int, value: float) -> str:
        down = EDGE / 2 + (high - value) / ((high - low) or 1) * (HEIGHT - 2 * EDGE)
        return f"{x(step):.1f},{down:.1f}"

    begin = len(past)
    parts = [
        f'<polygon points="{_outline(ahead, lower, begin, at)}" fill="{COLORS[0]}" '
        f'fill-opacity="0.22" stroke="none"/>'
        for lower in range(len(ahead[0]) // 2)
    ]
    parts += [_line([at(*each) for each in run], "currentColor") for run in _runs(past)]
    parts.append(
        _line([at(begin + step, own[median]) for step, own in enumerate(ahead)], COLORS[0])
    )
    ends = ((high, EDGE / 2 + 4), (low, HEIGHT - 1.5 * EDGE + 4))
    parts += [_text(LEFT - 6, y, "end", f"{value:.4g}") for value, y in ends]
    places = ((0, "start"), (begin, "end"), (last, "end"))
    for (step, anchor), time in zip(places, times, strict=True):
        apart = step in (0, last) or APART[0] < step / last < APART[1]
        parts += [_text(x(step), HEIGHT - 6, anchor, time)] if apart else []
    parts.append(
        f'<path d="M{x(begin):.1f},{EDGE / 2} V{HEIGHT - 1.5 * EDGE}" stroke="currentColor" '
        f'stroke-opacity="0.3"/>'
    )
    named = f"forecast from {escape(times[1])} to {escape(times[2])}"
    size = f'width="{WIDTH}" height="{HEIGHT}"'
    return f'<svg {size} role="img" aria-label="{named}">{"".join(parts)}</svg>'


def _outline(ahead: Sequence[Sequence[float]], lower: int, begin: int, at: At) -> str:
    """The corners of the band between a quantile and the one as far from the other end."""
    there = [at(begin + step, own[len(own) - 1 - lower]) for step, own in enumerate(ahead)]
    back = [at(begin + step, own[lower]) for step, own in enumerate(ahead)]
    return " ".join([*there, *reversed(back)])


def _runs(values: Sequence[float]) -> list[list[tuple[int, float]]]:
    """The known values with their steps, in runs without a missing one."""
    runs: list[list[tuple[int, float]]] = [[]]
    for step, value in enumerate(values):
        if math.isfinite(value):
            runs[-1].append((step, value))
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _line(points: Sequence[str], color: str) -> str:
    if len(points) == 1:
        across, down = points[0].split(",")
        return f'<circle cx="{across}" cy="{down}" r="2.5" fill="{color}"/>'
    return (
        f'<polyline points="{" ".join(points)}" fill="none" stroke="{color}" stroke-width="1.6"/>'
    )


def _text(x: float, y: float, anchor: str, text: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="11" text-anchor="{anchor}" '
        f'fill="currentColor">{escape(text)}</text>'
    )
