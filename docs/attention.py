"""Draws docs/attention.png, the attention maps in the README, with the model of `make demo`.

make demo
python docs/attention.py runs/demo
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import zoo
from zoo.report import figures

TEXTS = ("Freitag, 26. Juli 2024", "3 июня 1998 г.")
SCALE = 1.3  # relative to the figures of the report
COLOR = "#2563a8"


def draw(run: str, path: Path) -> None:
    """Draws the attention map of each text, side by side, to a PNG file."""
    task = zoo.load(run)
    maps = [task.attention(text)[-1] for text in TEXTS]
    rows = max(len(found.target_tokens) for found in maps)
    columns = [len(found.source_tokens) for found in maps]
    cell, gap = SCALE * figures.CELL, 4
    width, height = sum(columns) + gap * (len(maps) - 1), rows
    figure = figures.new_figure(cell * width, cell * height)
    left = 0
    for found, count in zip(maps, columns, strict=True):
        axes = figure.add_axes((left / width, 0, count / width, len(found.target_tokens) / height))
        found.plot(axes, color=COLOR, font_size=8 * SCALE)
        for spine in axes.spines.values():
            spine.set_color("#bbbbbb")
        left += count + gap
    figure.savefig(path, dpi=110, facecolor="white", bbox_inches="tight", pad_inches=0.08)


if __name__ == "__main__":
    draw(sys.argv[1], ROOT / "docs" / "attention.png")
