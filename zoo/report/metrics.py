"""The section of the metrics of a model, beside those of baselines, with intervals."""

import math
from collections.abc import Sequence

from zoo.report import formats, html
from zoo.tasks.comparison import Comparison
from zoo.tasks.self_check import against_baselines, off_aims

HEADLINE = 3  # maximum number of metrics in large numbers


def headline(comparison: Comparison) -> str:
    """The most important metrics of the model as large numbers, and whether they are good."""
    first = [*comparison.model.items()][:HEADLINE]
    numbers = {formats.spell(name): formats.rounded(name, value) for name, value in first}
    explained = [name for name, _ in first if name in formats.MEANINGS]
    known = [f"{formats.spell(name)}: {formats.MEANINGS[name]}." for name in explained]
    meanings = f"<p>{html.text(' '.join(known))}</p>" if known else ""
    told = [*against_baselines(comparison), *off_aims(comparison)]
    verdict = " ".join(map(_sentence, told))
    judged = f'<p class="verdict">{html.text(verdict)}</p>' if told else ""
    return html.definitions("numbers", numbers) + judged + meanings


def section(comparison: Comparison, data: str = "") -> str:
    """A row for each metric: the model, each baseline, the best first, and its interval.

    Args:
        comparison: The metrics.
        data: The names of the data that they were measured on; may be empty.
    """
    baselines = _best_first(comparison)
    if not comparison.model or not (baselines or comparison.intervals or len(comparison.model) > 3):
        return ""
    spans = comparison.intervals
    cells = []
    for name, value in comparison.model.items():
        row = _row(comparison, name, [value, *(of.get(name) for of in baselines.values())])
        if spans:
            ends = [formats.rounded(name, each) for each in spans.get(name, ())]
            row.append(" to ".join(ends))
        cells.append([html.text(formats.spell(name)), *row])
    interval = ["95 % interval"] if spans else []  # last: a narrow page shows baselines first
    columns = ["metric", "model", *(formats.spell(name) for name in baselines), *interval]
    sentences = [f"Measured on {html.text(data)}."] if data else []
    if baselines:
        sentences.append("Baselines are simple methods that learned from the training data.")
        sentences.append("The best value of a row is bold.")
    sentences += [
        _sentence(f"{formats.spell(name)} should be {formats.rounded(name, aim)}")
        for name, aim in comparison.aims.items()
        if name in comparison.model
    ]
    table = html.table(columns, cells, numbers=len(columns) - 1)
    return html.section("Metrics", " ".join(sentences), table)


def _best_first(comparison: Comparison) -> dict[str, dict[str, float]]:
    """The metrics of each baseline by name, in the order of the first metric that is compared."""
    baselines = comparison.of_baselines()
    best = comparison.best_baseline()
    if best is None:
        return baselines
    metric = best[0]

    def rank(name: str) -> float:
        value = baselines[name].get(metric)
        return math.inf if value is None else -comparison.goodness(metric, value)

    return {name: baselines[name] for name in sorted(baselines, key=rank)}


def _row(comparison: Comparison, name: str, values: Sequence[float | None]) -> list[str]:
    """The values of a metric as text; the best one is bold, and each that looks the same."""
    known = [value for value in values if value is not None]
    best = max(known, key=lambda value: comparison.goodness(name, value))
    shown = ["" if value is None else formats.rounded(name, value) for value in values]
    return [f"<b>{text}</b>" if text == formats.rounded(name, best) else text for text in shown]


def _sentence(text: str) -> str:
    """A message as a sentence.

    Example:
        >>> _sentence("no better")
        'No better.'
    """
    return f"{text[:1].upper()}{text[1:]}."
