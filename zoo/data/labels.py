"""Rows with one label each, and the numbers of labels."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from zoo.errors import UserError


class LabelRows:
    """Base of rows with one label each, whatever the rows are; a subclass has the fields."""

    path: str
    labels: list[str]
    weights: list[float] | None

    @property
    def answers(self) -> dict[str, list[Any]]:
        """The label of each row, and its weight if there is one, by name of the field."""
        weights = {} if self.weights is None else {"weights": self.weights}
        return {"labels": self.labels, **weights}

    def class_numbers(self, labels: Sequence[str]) -> np.ndarray:
        """The class number of each row, (N,), int32.

        Args:
            labels: The labels in class order.

        Raises:
            UserError: If a row has another label.
        """
        number = class_numbers(labels, self.labels, "label", self.path)
        return np.array([number[label] for label in self.labels], np.int32)


def class_numbers(
    labels: Sequence[str], present: Iterable[str], what: str, path: str
) -> dict[str, int]:
    """The class number of each label.

    Args:
        labels: The labels in class order.
        present: The labels of all rows of the data.
        what: "label" or "tag", for error messages.
        path: Path of the data, for error messages.

    Raises:
        UserError: If a label in the data is unknown.

    Example:
        >>> class_numbers(["bad", "good"], ["good"], "label", "films.csv")
        {'bad': 0, 'good': 1}
    """
    number = {label: i for i, label in enumerate(labels)}
    unknown = sorted(set(present) - set(number))
    if unknown:
        known = ", ".join(labels)
        raise UserError(f"{path} has the {what} {unknown[0]!r}; expected one of {known}")
    return number
