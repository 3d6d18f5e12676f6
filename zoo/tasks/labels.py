"""The set of labels of a classifier, and whether its inputs are single texts or pairs."""

from dataclasses import dataclass

from zoo.data.readers.labels import LabeledTexts
from zoo.errors import UserError
from zoo.heads.label import LabelHead, labels_of
from zoo.tasks.options.multi_task import Settings


def check_pairs(what: str, given: bool, wanted: bool) -> None:
    """Raises a `UserError` if single texts are given instead of pairs, or pairs instead.

    Args:
        what: The data, for the message.
        given: Whether they are pairs.
        wanted: Whether they should be.
    """
    if given != wanted:
        names = {True: "pairs", False: "single texts"}
        raise UserError(f"{what}: expected {names[wanted]}, found {names[given]}")


@dataclass(frozen=True)
class LabelSet:
    """Labels in class order.

    Args:
        labels: The labels.
        pairs: Whether each row has two texts.

    Example:
        >>> from zoo.data.readers.labels import read_labeled
        >>> rows = read_labeled([("fine", "good"), ("dull", "bad")])
        >>> classes = label_set(rows)
        >>> classes.labels, classes.numbers(rows)
        (['bad', 'good'], [1, 0])
    """

    labels: list[str]
    pairs: bool = False

    def check_pairs(self, what: str, pairs: bool) -> None:
        """Raises a `UserError` if single texts are given instead of pairs, or pairs instead."""
        check_pairs(what, pairs, self.pairs)

    def numbers(self, rows: LabeledTexts) -> list[int]:
        """The class number of each row.

        Raises:
            UserError: If a label is unknown, or the rows are single texts instead of pairs.
        """
        self.check_pairs(rows.path, rows.seconds is not None)
        return LabelHead(self.labels).numbers(rows.labels, rows.path)


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
    classes = LabelSet(
        labels_of(rows.labels, labels, "label", rows.path),
        rows.seconds is not None if pairs is None else pairs,
    )
    classes.check_pairs(rows.path, rows.seconds is not None)
    return classes


def known_tasks(settings: Settings) -> dict[str, list[str]]:
    """The labels of each of several tasks, by name.

    Raises:
        UserError: If they have learned from no data yet.
    """
    if not settings.labels:
        raise UserError("the task has no labels yet: call adapt(data) first")
    return settings.labels


def label_set_of(settings: Settings, name: str) -> LabelSet:
    """The labels of one of several tasks.

    Args:
        settings: The settings.
        name: Name of the task.

    Raises:
        UserError: If there is no task with that name, or they have learned from no data yet.
    """
    labels = known_tasks(settings)
    if name not in labels:
        raise UserError(f"there is no task {name!r}; choose from {', '.join(labels)}")
    return LabelSet(labels[name], settings.pairs.get(name, False))
