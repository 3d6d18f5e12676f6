"""The set of labels of a classifier, and whether its inputs are single texts or pairs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from keras import ops

from zoo.data.readers.labels import LabeledTexts
from zoo.errors import UserError
from zoo.lines import LINE_BREAK


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
        """Raises a `UserError` if single texts are given instead of pairs, or pairs instead."""
        if pairs != self.pairs:
            found, wanted = ("pairs", "single texts") if pairs else ("single texts", "pairs")
            raise UserError(f"{what}: expected {wanted}, found {found}")

    def numbers(self, rows: LabeledTexts) -> list[int]:
        """The class number of each row.

        Raises:
            UserError: If a label is unknown, or the rows are single texts instead of pairs.
        """
        self.check_pairs(rows.path, rows.seconds is not None)
        number = class_numbers(self.labels, rows.labels, "label", rows.path)
        return [number[label] for label in rows.labels]


def label_set(
    rows: LabeledTexts, labels: list[str] | None = None, pairs: bool | None = None
) -> LabelSet:
    """Determines the set of labels from labeled texts.

    Args:
        rows: Labeled texts.
        labels: The labels, or None to take those of the rows.
        pairs: Whether the rows must be pairs, or None to accept both.

    Raises:
        UserError: If there is only one label, or `pairs` does not match the rows.
    """
    found = LabelSet(
        labels_of(rows.labels, labels, "label", rows.path),
        rows.seconds is not None if pairs is None else pairs,
    )
    found.check_pairs(rows.path, rows.seconds is not None)
    return found


def labels_of(found: Iterable[str], given: list[str] | None, what: str, path: str) -> list[str]:
    """Returns the given labels, or else the sorted labels of the data.

    Args:
        found: The labels of all rows of the data.
        given: The given labels, or None.
        what: "label" or "tag", for error messages.
        path: Path of the data, for error messages.

    Raises:
        UserError: If there are fewer than two labels, or one has a line break.
    """
    if given is not None:
        if len(given) < 2:
            raise UserError(f"labels must name at least two {what}s, got {given}")
        return _of_one_line([str(label) for label in given], what, path)
    labels = _of_one_line(sorted(set(found)), what, path)
    if len(labels) < 2:
        raise UserError(
            f"{path} has only one {what}, {labels[0]!r}; classification needs at least two"
        )
    return labels


def _of_one_line(labels: list[str], what: str, path: str) -> list[str]:
    """The labels, which files beside artifacts hold a line each."""
    broken = next(filter(LINE_BREAK.search, labels), None)
    if broken is not None:
        raise UserError(
            f"{path}: the {what} {broken!r:.80} has a line break, which a file with a {what} in "
            "each line cannot hold: replace it"
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
        raise UserError(f"{path} has the {what} {unknown[0]!r}; expected one of {known}")
    return number


def class_scores(scores: Any) -> dict[str, Any]:
    """Adds the most probable class to probabilities (..., C)."""
    # Not argmax, which needs an operator that LiteRT lacks.
    _, best = ops.top_k(scores, 1)
    return {"scores": scores, "class_id": ops.cast(ops.squeeze(best, -1), "int32")}
