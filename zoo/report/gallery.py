"""The gallery of a report: images of every label, with what the model says of each."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from zoo.data.examples import ExampleRow
from zoo.metrics.labels import LabelPredictions
from zoo.report import html
from zoo.report.images import picture, pixels_of, shrunk
from zoo.tasks.parts import Pictures

if TYPE_CHECKING:
    from zoo.report.examples import Shown
    from zoo.tasks.task import Task

LABELS = 40  # maximum number of labels
EACH = 5  # maximum number of images of a label
SIDE = 84  # of an image, in pixels


def section(task: "Task", shown: "Shown") -> str:
    """The section of the page; empty for other inputs than images with a label each."""
    rows = shown.labels
    if task.parts.pictures is not Pictures.IMAGES or rows is None:
        return ""
    counts = np.bincount(rows.true, minlength=len(rows.classes))
    order = [c for c in np.argsort(-counts, kind="stable").tolist() if counts[c]]
    groups = [_label(task, rows, shown.named, label) for label in sorted(order[:LABELS])]
    explanation = f"Up to {EACH} images of each label, first those that are taken for another."
    if len(order) > LABELS:
        explanation += f" The {LABELS} most frequent labels of {len(order)}."
    return html.section("Images of each label", explanation, *groups)


def _label(task: "Task", rows: LabelPredictions, named: Sequence[ExampleRow], label: int) -> str:
    drawn = []
    for number in chosen(rows, label, EACH):
        pixels = shrunk(pixels_of(task, named[number].data), 2 * SIDE)
        right = rows.predicted[number] == label
        said = "✓" if right else f"✗ predicted: {rows.predictions[number] or '(none)'}"
        drawn.append(
            f'<figure class="narrow">{picture(pixels, side=SIDE)}'
            f'<figcaption class="{"right" if right else "wrong"}">{html.text(said)}</figcaption>'
            "</figure>"
        )
    name = html.text(rows.classes[label] or "(none)")
    return f'<h3>{name}</h3>\n<div class="pictures close">{"".join(drawn)}</div>'


def chosen(rows: LabelPredictions, label: int, count: int) -> list[int]:
    """The numbers of some rows of a label: up to a half wrong ones, then others.

    Example:
        >>> rows = LabelPredictions(["a"] * 4 + ["b"], ["a", "b", "a", "b", "b"], ["a", "b"])
        >>> chosen(rows, 0, 3), chosen(rows, 1, 3)
        ([1, 3, 0], [4])
    """
    own = np.flatnonzero(rows.true == label)
    wrong = own[rows.predicted[own] != label][: -(-count // 2)]
    right = own[rows.predicted[own] == label]
    left = own[~np.isin(own, np.concatenate([wrong, right]))]
    order: list[int] = np.concatenate([wrong, right, left])[:count].tolist()
    return order
