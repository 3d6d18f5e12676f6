"""The section of a report on values: predicted beside correct ones, and the largest errors."""

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from zoo.data.examples import ExampleRow
from zoo.errors import UserError
from zoo.metrics.values import ValueRows
from zoo.registry.metrics import VALUES
from zoo.report import figures, html
from zoo.tasks.answered import Answered

COLUMNS = 4  # maximum number of columns of values that are drawn
POINTS = 1000  # maximum number of dots of a figure
LARGEST = 6  # number of errors that are listed


def rows_of(answered: Answered | None) -> tuple[ValueRows, Sequence[ExampleRow]] | None:
    """The values that a model gives to data beside the correct ones, and the inputs; or None.

    Args:
        answered: The data with the answers to it; None without data.
    """
    if answered is None:
        return None
    with suppress(UserError):  # data may have no values, or others
        judged = answered.judged
        if VALUES in judged and isinstance(rows := judged[VALUES](), ValueRows):
            examples = answered.examples
            return rows, answered.task.parts.input.first_rows(examples, len(examples))
    return None


def section(judged: tuple[ValueRows, Sequence[ExampleRow]] | None, what: str) -> str:
    """Predicted by correct values, a figure for each column, and the rows with the largest errors.

    Args:
        judged: The values, and the inputs; None without values.
        what: What an input is.
    """
    if judged is None:
        return ""
    rows, named = judged
    pictures, step = [], -(-len(rows) // POINTS)
    for number, name in enumerate(rows.names[:COLUMNS]):
        of_column = (rows.references[::step, number], rows.predictions[::step, number])
        drawn = figures.svg(figures.scatter(*of_column), f"values-{number}")
        caption = f"<figcaption>{html.text(name)}</figcaption>"
        pictures.append(f'<figure class="curve">{caption}{drawn}</figure>')
    cells = []
    if len(named) == len(rows):
        for number in largest_errors(rows, LARGEST):
            values = (rows.predictions[number], rows.references[number])
            cells.append([html.shortened(named[number].name), *map(_written, values)])
    explanation = (
        "Each dot is a row: the correct value to the right, the predicted one upwards; on the line "
        "they are equal. The table has the largest errors."
    )
    table = html.table([what, "prediction", "reference"], cells, numbers=2)
    figure = f'<div class="pictures">{"".join(pictures)}</div>'
    return html.section("Predicted and correct values", explanation, figure, table)


def largest_errors(rows: ValueRows, count: int) -> list[int]:
    """The numbers of the rows with the largest errors, in standard deviations of each column.

    Formula: `e_i = max_k |y_ik - p_ik| / std(y_k)`

    Example:
        >>> true, given = np.array([[1.0], [2.0], [3.0]]), np.array([[1.5], [9.0], [3.0]])
        >>> largest_errors(ValueRows(true, given, ["weight"]), 2)
        [1, 0]
    """
    scales = rows.references.std(axis=0)
    errors = np.abs(rows.predictions - rows.references) / np.where(scales > 0, scales, 1)
    order: list[int] = np.argsort(-errors.max(axis=1), kind="stable").tolist()
    return order[:count]


def _written(values: np.ndarray) -> str:
    return ", ".join(f"{value:.4g}" for value in values)
