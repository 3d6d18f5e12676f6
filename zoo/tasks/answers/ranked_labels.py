"""The most probable labels of an answer, with their scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from zoo.options import option
from zoo.tasks.cells import SCORE, Cells

LABEL = "label"  # begins the names of the cells of the most probable labels
TOP_K = "top_k"


@dataclass(kw_only=True)
class LabelOptions:
    """Options of `predict` of a classifier."""

    top_k: int = option(
        0,
        "Also give the k most probable labels with their scores; 0 means none.",
        minimum=0,
        group="Labels",
    )


def ranked_labels(
    labels: Sequence[str], scores: Sequence[float], options: Mapping[str, Any]
) -> dict[str, float]:
    """The labels with their scores, the most probable first: `top_k` of them, or all.

    Example:
        >>> ranked_labels(["a", "b", "c"], [0.25, 0.5, 0.125], {"top_k": 2})
        {'b': 0.5, 'a': 0.25}
    """
    order = sorted(range(len(scores)), key=lambda index: -scores[index])
    return {labels[index]: scores[index] for index in order[: options.get(TOP_K) or None]}


def ranked_cells(
    labels: Sequence[str], scores: Sequence[float], options: Mapping[str, Any]
) -> Cells:
    """The cells of the most probable labels; none unless `top_k` is given.

    Example:
        >>> ranked_cells(["a", "b"], [0.25, 0.75], {"top_k": 1})
        {'label_1': 'b', 'score_1': 0.75}
    """
    if not options.get(TOP_K):
        return {}
    cells: Cells = {}
    for number, (label, score) in enumerate(ranked_labels(labels, scores, options).items(), 1):
        cells |= {f"{LABEL}_{number}": label, f"{SCORE}_{number}": score}
    return cells
