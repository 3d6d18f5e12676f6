"""Draws docs/cora.png: the nodes of Cora as the model sees them, with attention as edge width.

keras-attn train node-classifier --data cora/ --out runs/cora
python docs/nodes.py runs/cora cora/
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import zoo
from zoo.report import graphs


def draw(run: str, data: str, path: Path) -> None:
    """Draws the first graph of the data to a PNG file."""
    task = zoo.load(run)
    figure = graphs.picture(task, task.read(data).graphs[0], size=5.2)
    figure.savefig(path, dpi=110, facecolor="white", bbox_inches="tight", pad_inches=0.08)


if __name__ == "__main__":
    draw(sys.argv[1], sys.argv[2], ROOT / "docs" / "cora.png")
