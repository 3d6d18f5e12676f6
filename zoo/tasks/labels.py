"""The labels that a task knows, and whether they are of single texts or of pairs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from keras import ops

from zoo.data.readers.labels import LabeledTexts
from zoo.errors import UserError


@dataclass(frozen=True)
class LabelSet:
    """Labels in class order.

    Args:
        labels: The labels.
        pairs: Whether each row has two texts.

    Example:
        >>> from zoo.data.readers.labels import read_labeled
        >>> rows = read_labeled([("fine", "good"), ("dull", "bad")])
        >>> found = label_set(rows)
        >>> found.labels, found.numbers(rows)
        (['bad', 'good'], [1, 0])
    """

    labels: list[str]
    pairs: bool = False

    def check_pairs(self, what: str, pairs: bool) -> None:
        """Raises a UserError where single texts are given instead of pairs, or pairs instead."""
        if pairs != self.pairs:
            has, wanted = ("pairs", "single texts") if pairs else ("single texts", "pairs")
            raise UserError(f"{what} has {has}; this task is for {wanted}")

    def numbers(self, rows: LabeledTexts) -> list[int]:
        """The class of each row.

        Raises:
            UserError: If a label is unknown, or the rows are single texts instead of pairs.
        """
        self.check_pairs(rows.path, rows.seconds is not None)
        number = class_numbers(self.labels, rows.labels, "label", rows.path)
        return [number[label] for label in rows.labels]


def label_set(
    rows: LabeledTexts, labels: list[str] | None = None, pairs: bool | None = None
) -> LabelSet:
    """The labels of the rows, as far as they are not given.

    Args:
        rows: Labeled texts.
        labels: The labels, if they are known.
        pairs: Whether the rows are pairs, if that is known.

    Raises:
        UserError: If there is only one label, or the rows are not what is given.
    """
    found = LabelSet(
        labels_of(rows.labels, labels, "label", rows.path),
        rows.seconds is not None if pairs is None else pairs,
    )
    found.check_pairs(rows.path, rows.seconds is not None)
    return found


def labels_of(found: Iterable[str], given: list[str] | None, what: str, path: str) -> list[str]:
    """The labels of some data, sorted, unless they are given.

    Args:
        found: Labels in the data, as often as they occur.
        given: Labels that are given, or None.
        what: What the labels are called, for messages.
        path: Where they come from, for messages.

    Raises:
        UserError: If there are fewer than two.
    """
    if given is not None:
        if len(given) < 2:
            raise UserError(f"labels must name at least two {what}s, got {given}")
        return [str(label) for label in given]
    labels = sorted(set(found))
    if len(labels) < 2:
        raise UserError(
            f"{path} has only one {what}, {labels[0]!r}; classification needs at least two"
        )
    return labels


def class_numbers(labels: list[str], found: Iterable[str], what: str, path: str) -> dict[str, int]:
    """The class number of each label.

    Raises:
        UserError: If a label in the data is unknown.
    """
    number = {label: i for i, label in enumerate(labels)}
    unknown = sorted(set(found) - set(number))
    if unknown:
        known = ", ".join(labels)
        raise UserError(f"{path} has the {what} {unknown[0]!r}; this task knows {known}")
    return number


def class_scores(scores: Any) -> dict[str, Any]:
    """Probabilities (..., C) with the most probable class of each."""
    # top_k, as LiteRT lacks an operator that argmax is made of.
    _, best = ops.top_k(scores, 1)
    return {"scores": scores, "class_id": ops.cast(ops.squeeze(best, -1), "int32")}
