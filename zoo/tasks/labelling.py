"""Which labels a classifier knows, and whether it is for single texts or for pairs."""

from dataclasses import dataclass

from zoo.data.labelled import LabelledTexts
from zoo.errors import UserError


@dataclass(frozen=True)
class Labelling:
    """The labels of some data, by the number of the class.

    Args:
        labels: The labels.
        pairs: Whether each row has two texts.

    Example:
        >>> from zoo.data.labelled import read_labelled
        >>> rows = read_labelled([("fine", "good"), ("dull", "bad")])
        >>> Labelling.of(rows), Labelling.of(rows).numbers(rows)
        (Labelling(labels=['bad', 'good'], pairs=False), [1, 0])
    """

    labels: list[str]
    pairs: bool

    @classmethod
    def of(
        cls, rows: LabelledTexts, labels: list[str] | None = None, pairs: bool | None = None
    ) -> "Labelling":
        """What the rows have, as far as it is not given.

        Raises:
            UserError: If all rows have one label, or the rows are not what is given.
        """
        check_labels(labels)
        found = cls(
            sorted(set(rows.labels)) if labels is None else labels,
            rows.seconds is not None if pairs is None else pairs,
        )
        if len(found.labels) < 2:
            raise UserError(f"{rows.path} has one label only, {found.labels[0]!r}: nothing to tell")
        found.check_pairs(rows.path, rows.seconds is not None)
        return found

    def check_pairs(self, what: str, pairs: bool) -> None:
        """Raises a UserError where single texts meet pairs."""
        if pairs != self.pairs:
            has, wanted = ("pairs", "single texts") if pairs else ("single texts", "pairs")
            raise UserError(f"{what} has {has}; this task is for {wanted}")

    def numbers(self, rows: LabelledTexts) -> list[int]:
        """The class of each row.

        Raises:
            UserError: If a label is unknown, or the rows are single texts and not pairs.
        """
        self.check_pairs(rows.path, rows.seconds is not None)
        number = {label: i for i, label in enumerate(self.labels)}
        unknown = sorted(set(rows.labels) - set(number))
        if unknown:
            known = ", ".join(self.labels)
            raise UserError(f"{rows.path} has the label {unknown[0]!r}; this task knows {known}")
        return [number[label] for label in rows.labels]


def check_labels(labels: list[str] | None) -> None:
    """Raises a UserError where labels are given, and too few to tell apart."""
    if labels is not None and len(labels) < 2:
        raise UserError(f"labels must name two at least, got {labels}")
