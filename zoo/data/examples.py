"""The interface of examples: what the reader of a format returns."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np

from zoo.data.held_out import Part
from zoo.data_statistics import Statistics

if TYPE_CHECKING:
    from zoo.text.tokenizer import Tokenizer


class ExampleRow(NamedTuple):
    """One of the examples, for a report.

    Args:
        name: The input in words, such as its text or the name of its file.
        data: The input as `predict` and `attention` take it.
        reference: The correct answer, or None if it is unknown.
    """

    name: str
    data: Any
    reference: Any


class Examples(Protocol):
    """Examples in memory, or prepared ones on the disk."""

    @property
    def path(self) -> str:
        """Path of the data, for messages."""

    @property
    def inputs(self) -> Mapping[str, Sequence[Any]]:
        """Raw inputs of the preprocessor, by name.

        Raises:
            UserError: If the data is prepared, and has none.
        """

    @property
    def statistics(self) -> Statistics:
        """Counts of truncated, skipped and unknown data."""

    @property
    def files(self) -> list[Path]:
        """The files that the data name, such as images, and those beside them."""

    @property
    def column_names(self) -> Mapping[str, str]:
        """The name of the column for each role; empty if the data names no columns."""

    def __len__(self) -> int:
        """The number of rows."""

    def split(self, part: Part | float, seed: int = 0) -> tuple[Self, Self]:
        """Splits off a part of the rows, for validation."""

    def sample(self, count: int) -> dict[str, list[Any]]:
        """The first raw inputs, which are kept with a model to verify its artifacts.

        It is empty if the preprocessor keeps some itself.
        """

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first rows, for a report."""


class TextExamples(Examples, Protocol):
    """Examples with texts, which may be prepared."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings that the data was prepared with; empty for texts."""

    @property
    def tokenizer(self) -> "Tokenizer | None":
        """The tokenizer that the data was prepared with; None for texts."""

    def every_text(self) -> Iterable[str]:
        """All texts, to train a tokenizer on."""


class ValuedExamples(Examples, Protocol):
    """Examples with one value or several for each row."""

    @property
    def values(self) -> list[tuple[float, ...]]:
        """The values of each row."""

    @property
    def names(self) -> list[str]:
        """The names of the values."""


class ClassExamples(Examples, Protocol):
    """Examples with one label for each row, or any number."""

    @property
    def labels(self) -> list[str]:
        """All labels, at least once."""

    @property
    def weights(self) -> list[float] | None:
        """The weight of each row in the loss; None if all weigh the same."""

    def class_numbers(self, labels: Sequence[str]) -> np.ndarray:
        """The class number of each row (N,) or, of any number, 1 for each label, otherwise 0.

        Args:
            labels: The labels in class order.

        Raises:
            UserError: If a row has another label.
        """


class LabeledExamples(ClassExamples, Protocol):
    """Examples with a label for each row."""

    @property
    def labels(self) -> list[str]:
        """The label of each row."""


class LabelSetExamples(ClassExamples, Protocol):
    """Examples with any number of labels for each row."""

    @property
    def label_sets(self) -> list[tuple[str, ...]]:
        """The labels of each row."""
