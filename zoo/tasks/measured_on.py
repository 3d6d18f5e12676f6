"""The data that metrics were measured on, and what the model had seen of it."""

from enum import StrEnum
from typing import NamedTuple


class Seen(StrEnum):
    """What a model had seen of the data of its metrics, in words."""

    NOTHING = ""
    SELECTED = "the validation data"  # which selected the best epoch
    SOME = "in part the training data"
    ALL = "the training data"


CAUTIONS = {
    Seen.NOTHING: "",
    Seen.SELECTED: "The validation data selected the best epoch: other data may do a little worse.",
    Seen.SOME: "The model has learned from some of these rows: on other data it may be much worse.",
    Seen.ALL: "The model has learned from these very rows: on other data it may be much worse.",
}


class MeasuredOn(NamedTuple):
    """The data that metrics were measured on.

    Args:
        names: The names of its files; empty for data in memory.
        seen: What the model had seen of it.

    Example:
        >>> str(MeasuredOn("reviews.csv", Seen.ALL)), str(MeasuredOn("test.csv"))
        ('reviews.csv, the training data', 'test.csv')
    """

    names: str = ""
    seen: Seen = Seen.NOTHING

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.names, self.seen)))

    @property
    def has_trained(self) -> bool:
        """Whether training data is among it."""
        return self.seen in (Seen.SOME, Seen.ALL)

    @property
    def caution(self) -> str:
        """What its metrics do not say, in a sentence; empty for other data."""
        return CAUTIONS[self.seen]

    def replaces(self, other: "MeasuredOn") -> bool:
        """Whether metrics of this data take the place of metrics of another."""
        return other.has_trained or not self.has_trained


def seen_of(word: object) -> Seen:
    """What a file says that the model had seen; nothing if it says anything else.

    Example:
        >>> seen_of("the training data"), seen_of(7)
        (<Seen.ALL: 'the training data'>, <Seen.NOTHING: ''>)
    """
    return next((each for each in Seen if each == word), Seen.NOTHING)
