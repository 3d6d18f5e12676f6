"""The sentence of a page about its model, the inputs to click, and the columns of tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from zoo.report.formats import spell
from zoo.serving.about import (
    ABOUT,
    BASELINE,
    BASELINE_VALUE,
    DATA,
    EXAMPLES,
    METRIC,
    ROWS,
    VALUE,
    is_short,
)
from zoo.tasks.cells import TABLE

NAMED = 6  # labels that a sentence names


def sentence(purpose: str, labels: Sequence[str], config: Mapping[str, Any]) -> str:
    """What a model does, its labels, and how good it is beside the best baseline.

    Args:
        purpose: What its signature is for, in one sentence.
        labels: The names of its classes.
        config: The description of its task, which may come from someone else.

    Example:
        >>> known = {"about": {"metric": "macro_f1", "value": 0.78125, "data": "test.csv"}}
        >>> sentence("Classifies a text.", ["bad", "good"], known)
        'Classifies a text. 2 labels: bad, good. Macro F1 0.781 on test.csv.'
    """
    parts = [purpose]
    if labels:
        more = f" and {len(labels) - NAMED:,} more" if len(labels) > NAMED else ""
        parts.append(f"{len(labels):,} labels: {', '.join(labels[:NAMED])}{more}.")
    given = config.get(ABOUT)
    if isinstance(given, Mapping):
        name, value, data = (given.get(key) for key in (METRIC, VALUE, DATA))
        if isinstance(name, str) and isinstance(value, int | float) and isinstance(data, str):
            shown = spell(name)
            parts.append(f"{shown[:1].upper()}{shown[1:]} {value:.3g} on {data}{_beside(given)}.")
    return " ".join(parts)


def _beside(given: Mapping[str, Any]) -> str:
    """The best baseline, in words."""
    name, value = given.get(BASELINE), given.get(BASELINE_VALUE)
    if not (isinstance(name, str) and isinstance(value, int | float)):
        return ""
    return f"; of the baseline {spell(name)} {value:.3g}"


def examples(config: Mapping[str, Any], inputs: Sequence[str]) -> list[dict[str, str]]:
    """The example inputs, by name, that a page with these inputs can take; maybe none.

    Args:
        config: The description of its task, which may come from someone else.
        inputs: The names of the inputs of the page.
    """
    given = config.get(ABOUT)
    rows = given.get(ROWS) if isinstance(given, Mapping) else None
    if not isinstance(rows, list):
        return []
    named = [
        row
        for row in rows
        if isinstance(row, Mapping) and {*row} == {*inputs} and all(map(is_short, row.values()))
    ]
    return [dict(row) for row in named[:EXAMPLES]]


def text_columns(config: Mapping[str, Any], inputs: Sequence[str]) -> dict[str, str]:
    """The column of the training data that has the texts of each input, where it is known.

    Args:
        config: The description of its task, which may come from someone else.
        inputs: The names of the inputs of the page.

    Example:
        >>> known = {"table": {"roles": ["text"], "columns": {"text": "Review", "label": "Stars"}}}
        >>> text_columns(known, ["text"])
        {'text': 'Review'}
    """
    given = config.get(TABLE)
    roles, columns = (
        (given.get("roles"), given.get("columns")) if isinstance(given, Mapping) else (None, None)
    )
    if not (isinstance(roles, list) and isinstance(columns, Mapping) and len(roles) == len(inputs)):
        return {}
    named = {name: columns.get(role) for name, role in zip(inputs, map(str, roles), strict=True)}
    return {name: each for name, each in named.items() if isinstance(each, str) and each.strip()}
