"""The facts about a model that its description keeps for pages: metrics and example inputs."""

from collections.abc import Mapping, Sequence
from typing import Any

EXAMPLES = 3  # rows that can be clicked
LONGEST = 300  # characters of an example
ABOUT = "about"  # the key of the description that has what a page says
METRIC, VALUE, DATA, ROWS = "metric", "value", "data", "examples"
BASELINE, BASELINE_VALUE = "baseline", "baseline_value"  # the best one, in the same metric


def about(
    metrics: Mapping[str, float],
    data: str,
    inputs: Mapping[str, Sequence[Any]],
    best: tuple[str, str, float] | None = None,
) -> dict[str, Any]:
    """What the description of a task keeps for its page.

    Args:
        metrics: The metrics of the model, the most important one first.
        data: The names of the data that they were measured on.
        inputs: Inputs of the training data by name; the first ones are examples if all are texts.
        best: The metric, the name and the value of the best baseline, if there is one.

    Example:
        >>> about({"accuracy": 0.75}, "test.csv", {"text": ["a fine film"]})["examples"]
        [{'text': 'a fine film'}]
    """
    known: dict[str, Any] = {}
    if metrics and data:
        name = next(iter(metrics))
        known |= {METRIC: name, VALUE: float(metrics[name]), DATA: data}
        if best is not None and best[0] == name:
            known |= {BASELINE: best[1], BASELINE_VALUE: float(best[2])}
    rows = [dict(zip(inputs, row, strict=True)) for row in zip(*inputs.values(), strict=False)]
    short = [row for row in rows if all(map(is_short, row.values()))]
    return {**known, ROWS: short[:EXAMPLES]} if short else known


def is_short(value: Any) -> bool:
    """Whether an input is a text that a button can show."""
    return isinstance(value, str) and 0 < len(value.strip()) <= LONGEST
