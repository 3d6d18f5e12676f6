"""The sections of a report on labels: which are confused, and what a threshold would leave."""

from contextlib import suppress

import numpy as np

from zoo.errors import UserError
from zoo.metrics.labels import LabelPredictions
from zoo.report import figures, html
from zoo.tasks.answered import Answered
from zoo.tasks.measuring import label_rows

SHOWN = 30  # maximum number of labels of a confusion matrix
FEWEST = 20  # rows that a curve of shares needs
TENTHS = 10  # shades of its cells
LEVELS = (0.9, 0.95, 0.99)  # accuracies of which the coverage is written


def rows_of(answered: Answered | None) -> LabelPredictions | None:
    """The answers to data beside the correct ones, if each row has one label.

    Args:
        answered: The data with the answers to it; None without data.
    """
    if answered is None:
        return None
    with suppress(UserError):  # data may have no labels, or others
        return label_rows(answered.judged)
    return None


def section(rows: LabelPredictions) -> str:
    """The sections on labels: each label, which are confused, and what thresholds leave."""
    after = "" if rows.scores is None else curve(rows, rows.scores)
    return by_label(rows) + confusion(rows) + after


def by_label(rows: LabelPredictions) -> str:
    """Precision, recall and the number of rows of each label, for the most frequent ones."""
    true, predicted = (
        np.bincount(x, minlength=len(rows.classes)) for x in (rows.true, rows.predicted)
    )
    right = np.bincount(rows.true[rows.true == rows.predicted], minlength=len(rows.classes))
    order = np.argsort(-true, kind="stable")[:SHOWN]
    cells = []
    for label in order.tolist():
        if true[label] or predicted[label]:
            ratios = [(right[label], predicted[label]), (right[label], true[label])]
            shares = [f"{100 * part / whole:.1f} %" if whole else "" for part, whole in ratios]
            cells.append([html.text(rows.classes[label] or "(none)"), *shares, f"{true[label]:,}"])
    explanation = (
        "Precision: of the rows that get the label, how many have it. Recall: of the rows that "
        "have it, how many get it."
    )
    if len(order) < len(rows.classes):
        explanation += f" The {len(order)} most frequent labels of {len(rows.classes)}."
    table = html.table(["label", "precision", "recall", "rows"], cells, numbers=3)
    return html.section("Labels", explanation, table)


def confusion(rows: LabelPredictions) -> str:
    """How many rows of each label get each label, for the most frequent labels."""
    counts = np.zeros((len(rows.classes), len(rows.classes)), int)
    np.add.at(counts, (rows.true, rows.predicted), 1)
    shown = np.argsort(-counts.sum(axis=1), kind="stable")[:SHOWN].tolist()  # as in `by_label`
    names = [rows.classes[c] or "(none)" for c in shown]
    cells = [
        [html.text(name), *(_cell(counts[true, c], counts[true].sum(), true == c) for c in shown)]
        for name, true in zip(names, shown, strict=True)
    ]
    explanation = "One row for each correct label, one column for each predicted label."
    if len(shown) < len(rows.classes):
        explanation += f" The {len(shown)} most frequent labels of {len(rows.classes)}."
    table = html.table(["", *names], cells, numbers=len(names))
    return html.section("Confusion matrix", explanation, f'<div class="matrix">{table}</div>')


def curve(rows: LabelPredictions, scores: np.ndarray) -> str:
    """The accuracy of the rows whose score is above a threshold, for each share of rows.

    Empty for a few rows, whose shares say nothing.
    """
    if len(rows) < FEWEST:
        return ""
    thresholds, coverage, accuracy = coverage_curve(rows, scores)
    drawn = figures.svg(figures.coverage(coverage.tolist(), accuracy.tolist()), "coverage")
    cells = []
    for level in LEVELS:
        enough = np.flatnonzero(accuracy >= level)
        reached = ["", "", ""]
        if len(enough):
            place = enough[-1]
            share, number = coverage[place], round(coverage[place] * len(rows))
            reached = [f"{thresholds[place]:.4f}", f"{number:,}", f"{100 * share:.1f} %"]
        cells.append([f"{100 * level:.0f} %", *reached])
    explanation = (
        "Where the model may leave inputs without an answer: those whose best score is below a "
        "threshold. The higher the threshold, the fewer of the "
        f"{len(rows):,} rows get an answer, and the more of these answers are right. The table has "
        "the lowest threshold for some accuracies, and how many rows then get an answer."
    )
    table = html.table(["accuracy", "threshold", "answers", "share"], cells, numbers=4)
    figure = f'<figure class="curve">{drawn}</figure>'
    return html.section("Accuracy by share of answers", explanation, figure, table)


def coverage_curve(
    rows: LabelPredictions, scores: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Thresholds of the best score, from high to low, with the coverage and accuracy of each.

    Args:
        rows: The rows.
        scores: The probability of each label, (N, C).

    Source: El-Yaniv & Wiener 2010 (coverage); Geifman & El-Yaniv 2017, section 2.
    Formula: `coverage(t) = #{s_i >= t} / N`, `accuracy(t) = #{s_i >= t, correct} / #{s_i >= t}`
        of the best scores s_i

    Example:
        >>> scores = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.4, 0.6]])
        >>> rows = LabelPredictions(["a", "b", "b", "b"], ["a", "b", "a", "b"], ["a", "b"], scores)
        >>> thresholds, coverage, accuracy = coverage_curve(rows, scores)
        >>> thresholds.tolist(), coverage.tolist(), accuracy.round(2).tolist()
        ([0.9, 0.8, 0.6], [0.25, 0.5, 1.0], [1.0, 1.0, 0.75])
    """
    best = scores.max(axis=1)
    correct = (scores.argmax(axis=1) == rows.true).astype(float)
    order = np.argsort(-best, kind="stable")
    ends = np.flatnonzero(np.r_[np.diff(best[order]) != 0, True])
    counts = ends + 1
    return best[order][ends], counts / len(rows), np.cumsum(correct[order])[ends] / counts


def style() -> str:
    """The style of the confusion matrix: a class for each tenth of a row, right and wrong.

    The policy of the page allows no style attributes.
    """
    colors = {"right": "var(--second)", "wrong": "var(--accent)"}
    return "".join(
        f".{kind}-{tenth} {{ background: color-mix(in srgb, {color} {6 * tenth}%, transparent) }}\n"
        for kind, color in colors.items()
        for tenth in range(1, TENTHS + 1)
    )


def _cell(count: int, whole: int, right: bool) -> str:
    tenth = round(TENTHS * count / whole) if whole else 0
    shade = f" {'right' if right else 'wrong'}-{tenth}" if tenth else ""
    return f'<td class="number{shade}">{count or ""}</td>'
