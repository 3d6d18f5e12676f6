"""Sections of the report as HTML, each empty if it has no data."""

import math
from collections.abc import Iterable, Mapping, Sequence

from zoo.attention_map import AttentionMap
from zoo.report import figures, formats, html, run_files
from zoo.tasks.comparison import Comparison
from zoo.tasks.measured_on import MeasuredOn
from zoo.tasks.parts import PreviewRow

COLUMNS = ("prediction", "reference")


def curves(history: Mapping[str, list[float]], best: int | None) -> str:
    """One figure for each metric that was recorded during training."""
    count = len(next(iter(history.values()), []))
    epochs = history.get("epoch") or [float(epoch) for epoch in range(1, count + 1)]
    pictures = []
    for number, (name, measured) in enumerate(run_files.measures(history).items()):
        training, validation = measured
        keys = [
            f'<span class="key {label}">{label}</span>'
            for label, values in (("training", training), ("validation", validation))
            if any(map(math.isfinite, values))
        ]
        drawn = figures.svg(figures.curve(epochs, training, validation, best), f"curve-{number}")
        caption = html.text(formats.spell(name)) + "".join(keys)
        pictures.append(f'<figure class="curve"><figcaption>{caption}</figcaption>{drawn}</figure>')
    explanation = "Each metric by epoch."
    if best in epochs:
        explanation += f" The dot marks epoch {best}, whose weights were kept."
    return html.section("Training", explanation, _row(pictures))


def attention(
    examples: Sequence[tuple[str, AttentionMap]],
    too_large: int = 0,
    limit: int = 0,
    most_heads: int = 4,
) -> str:
    """Attention maps from (text, map) pairs, one figure per head if there are several.

    `too_large` is the number of maps that are left out, which have more than `limit` rows.
    """
    pictures = []
    for number, (text, attention_map) in enumerate(examples):
        heads = range(min(attention_map.heads, most_heads)) if attention_map.heads > 1 else (None,)
        for head in heads:
            label = (
                attention_map.title if head is None else f"{attention_map.title}, head {head + 1}"
            )
            label += f"; {attention_map.remark}" if attention_map.remark else ""
            caption = f"{html.text(text)}<br><small>{html.text(label)}</small>"
            drawn = figures.svg(figures.attention(attention_map, head), f"map-{number}-{head or 0}")
            pictures.append(f"<figure><figcaption>{caption}</figcaption>{drawn}</figure>")
    explanation = (
        "One row for each token, one column for each token that it looks at: the stronger the "
        "color, the larger the attention weight. ␣ is a space, ⊣ the end of the text; all scripts "
        "are drawn from left to right."
    )
    if not pictures:
        explanation = "Where the model looks."
    left_out = f"<p>Not shown: {too_large} maps of more than {limit} rows.</p>" if too_large else ""
    return html.section("Attention", explanation, _row(pictures), left_out)


def predictions(
    rows: Sequence[PreviewRow],
    explanation: str,
    one_answer: bool = True,
    what: str = "text",
    marked: bool = True,
    icons: Sequence[str] = (),
) -> str:
    """A table of inputs with predictions, the references that are known, and scores.

    Args:
        rows: The rows.
        explanation: What they are.
        one_answer: Whether a prediction equals the reference or is wrong.
        what: What a source is.
        marked: Whether to mark where a prediction that is wrong differs from the reference.
        icons: A picture of each input, as HTML; may be empty.
    """
    if not rows:
        return ""
    before, pictures = ([""], [[each] for each in icons]) if icons else ([], [[]] * len(rows))
    judged = [row.prediction == row.reference for row in rows if row.reference is not None]
    if not judged:
        cells = [
            [*icon, html.shortened(row.source), html.text(row.prediction)]
            for icon, row in zip(pictures, rows, strict=True)
        ]
        table = html.table([*before, what, "prediction"], cells)
        return html.section("Predictions", explanation, table)
    if not one_answer:
        cells = [
            [*icon, html.shortened(row.source), *(html.text(cell or "") for cell in row[1:3])]
            for icon, row in zip(pictures, rows, strict=True)
        ]
        table = html.table([*before, what, *COLUMNS], cells)
        return html.section("Predictions", explanation, table)
    explanation += f" {sum(judged)} of {len(judged)} match the reference exactly."
    cells = []
    names = list(dict.fromkeys(name for row in rows for name in row.scores))
    for icon, (source, prediction, reference, _, of_row) in zip(pictures, rows, strict=True):
        scores = [f"{of_row[name]:.3f}" if name in of_row else "" for name in names]
        if reference is None:
            cells.append(["", *icon, html.shortened(source), html.text(prediction), "", *scores])
            continue
        right = prediction == reference
        mark = '<td class="mark">✓</td>' if right else '<td class="mark no">✗</td>'
        written = html.differing(prediction, reference) if marked else html.text(prediction)
        shown = [html.shortened(source), written, html.text(reference)]
        cells.append([mark, *icon, *shown, *scores])
    table = html.table(["", *before, what, *COLUMNS, *names], cells, numbers=len(names))
    return html.section("Predictions", explanation, table)


def caution(comparison: Comparison, measured_on: MeasuredOn) -> str:
    """What large numbers do not say of data that the model has seen; empty for other data."""
    if not (comparison.model and measured_on.caution):
        return ""
    return f"<p>On {html.text(str(measured_on))}. {measured_on.caution}</p>"


def advice(lines: Sequence[str]) -> str:
    """What would probably make the model better, one line for each; empty if nothing says so."""
    return _list("What would probably help most", "As far as the training says so.", lines)


def missing(parts: Sequence[str]) -> str:
    """What the page cannot have, one line for each."""
    explanation = (
        "What an exported artifact cannot tell; the report of its run has it, if there is any."
    )
    return _list("Not in this report", explanation, parts)


def _list(title: str, explanation: str, lines: Sequence[str]) -> str:
    """A section with a line for each; empty without lines."""
    inside = "\n".join(f"<li>{html.text(each)}</li>" for each in lines)
    return html.section(title, explanation, f"<ul>\n{inside}\n</ul>" if inside else "")


def _row(pictures: Iterable[str]) -> str:
    inside = "\n".join(pictures)
    return f'<div class="pictures">\n{inside}\n</div>' if inside else ""
