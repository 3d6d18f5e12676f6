"""Rows with any number of labels: in memory, in arrays, and in lists of a program."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from zoo.data.in_memory import InMemory
from zoo.data.labels import class_numbers
from zoo.data.readers.npz import first_of
from zoo.data_statistics import counted
from zoo.errors import UserError

Labels = tuple[str, ...]
CLASSES = "classes"  # name of the array of the names of labels in an `.npz` file


@dataclass(frozen=True)
class LabelSetRows(InMemory):
    """Base of rows with any number of labels, whatever the rows are.

    Args:
        label_sets: The labels of each row.
        flags: The labels that have a column of their own, in its order; empty if none has.
    """

    label_sets: list[Labels] = field(kw_only=True)
    flags: Labels = field(default=(), kw_only=True)

    @property
    def answers(self) -> dict[str, list[Any]]:
        """The labels of each row, as the base of the rows takes them."""
        return {"label_sets": self.label_sets}

    @property
    def labels(self) -> list[str]:
        """The labels that have a column, and those of all rows, one after another."""
        return [*self.flags, *(label for row in self.label_sets for label in row)]

    def class_numbers(self, labels: Sequence[str]) -> np.ndarray:
        """1 for each label of a row, otherwise 0: (N, C), int32.

        Args:
            labels: The labels in class order.

        Raises:
            UserError: If a row has another label.
        """
        number = class_numbers(labels, self.labels, "label", self.path)
        flags = np.zeros((len(self.label_sets), len(labels)), np.int32)
        for row, own in zip(flags, self.label_sets, strict=True):
            row[[number[label] for label in own]] = 1
        return flags

    @property
    def weights(self) -> None:
        """Nothing: all rows weigh the same in the loss."""
        return None

    @property
    def label_facts(self) -> str:
        """How many labels there are, and how many a row has, for the log."""
        mean = sum(map(len, self.label_sets)) / max(len(self.label_sets), 1)
        return f"{counted(len({*self.labels}), 'labels')}, {mean:.3g} for each"


def label_sets_of_arrays(
    path: Path, arrays: Mapping[str, np.ndarray], count: int, known: Sequence[str]
) -> tuple[list[Labels], Labels]:
    """The labels of the rows of a file, and all labels.

    Args:
        path: The file, for messages.
        arrays: Its arrays: labels (N, C) of 0 and 1, and `classes` (C,), the names of the labels.
        count: The number of rows N.
        known: The names of the array of labels, the first of which is taken.

    Raises:
        UserError: If an array is missing, or has another shape or other numbers.

    Example:
        >>> arrays = {"y": np.array([[1, 0], [1, 1]]), "classes": np.array(["cat", "dog"])}
        >>> label_sets_of_arrays(Path("a.npz"), arrays, 2, ["y"])
        ([('cat',), ('cat', 'dog')], ('cat', 'dog'))
    """
    flags, names = first_of(known, arrays, path), first_of([CLASSES], arrays, path).astype(str)
    if names.ndim != 1 or flags.shape != (count, len(names)):
        raise UserError(
            f"{path}: expected {known[0]} ({count}, C) and {CLASSES} (C,), got {flags.shape} and "
            f"{names.shape}"
        )
    if not np.isin(flags, (0, 1)).all():
        raise UserError(f"{path}: {known[0]} must be 0 or 1 for each of the {CLASSES}")
    labels = tuple(names.tolist())
    sets = [tuple(labels[c] for c in np.flatnonzero(row)) for row in flags]
    return sets, labels


def label_sets_of_rows(path: str, data: Iterable[Any], what: str) -> tuple[list[Any], list[Labels]]:
    """The inputs of rows in memory, and the labels of each.

    Args:
        path: Name of the data, for messages.
        data: Rows of an input and a list of its labels.
        what: What an input is, for messages.

    Raises:
        UserError: If a row has no list of labels.
    """
    inputs, sets = [], []
    for number, row in enumerate(data, 1):
        pair = row if isinstance(row, tuple | list) and len(row) == 2 else (row, None)
        labels = sorted(pair[1]) if isinstance(pair[1], set | frozenset) else pair[1]
        if not isinstance(labels, list | tuple) or not all(isinstance(x, str) for x in labels):
            raise UserError(
                f"{path}: row {number} must be ({what}, list of labels), got {row!r:.60}"
            )
        inputs.append(pair[0])
        sets.append(tuple(dict.fromkeys(labels)))
    return inputs, sets
