"""What the pictures of the lectures share: colors, axes, and how they are saved."""

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

HERE = Path(__file__).parent
# Okabe and Ito's colors, which people with any color vision can tell apart.
BLACK, ORANGE, SKY, GREEN, BLUE, RED, PURPLE = (
    "#000000 #E69F00 #56B4E9 #009E73 #0072B2 #D55E00 #CC79A7".split()
)
COLORS = (BLUE, RED, GREEN, PURPLE, ORANGE, SKY, BLACK)
LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
POSITIVE = "viridis"  # of weights, from none to the largest
SIGNED = "RdBu_r"  # of values on both sides of 0
SETTINGS = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
}


def figure(width: float, height: float) -> Figure:
    """An empty figure whose parts make room for each other."""
    matplotlib.rcParams.update(SETTINGS)
    return Figure(figsize=(width, height), layout="constrained")


def matrix(
    axes: Axes,
    values: np.ndarray,
    rows: list[str] | None = None,
    columns: list[str] | None = None,
    **options: Any,
) -> Any:
    """A matrix as a picture, with a name for each row and column."""
    image = axes.imshow(values, **{"cmap": POSITIVE, "interpolation": "nearest"} | options)
    if columns is not None:
        axes.set_xticks(range(len(columns)), columns)
    if rows is not None:
        axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return image


def save(shown: Figure, name: str) -> None:
    """Writes `name`.png beside this file."""
    options = {"optimize": True}
    shown.savefig(HERE / f"{name}.png", dpi=110, facecolor="white", pil_kwargs=options)
