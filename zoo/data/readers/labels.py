"""Reads labeled texts and labeled pairs of texts."""

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from zoo.data.examples import ExampleRow
from zoo.data.held_out import split_rows
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.read_columns import read_columns, read_columns_in_pieces
from zoo.data.readers.roles import LABELED, Role
from zoo.data.readers.source import Source
from zoo.data.readers.text_columns import TextColumns
from zoo.data_statistics import Statistics, counted, with_statistics
from zoo.errors import UserError

if TYPE_CHECKING:
    from zoo.data.batching.tokenized import Tokenized
    from zoo.data.tokenization import Tokenization

FEW = 20  # number of rows up to which labels that occur only once are not reported


@dataclasses.dataclass(frozen=True)
class LabeledTexts:
    """Texts or pairs of texts, with their labels.

    Args:
        path: Path of the data, for messages.
        texts: The texts.
        seconds: The second text of each pair, or None for single texts.
        labels: The labels.
        source: Where they come from.
    """

    path: str
    texts: list[str]
    seconds: list[str] | None
    labels: list[str]
    source: Source = dataclasses.field(default_factory=Source)

    @property
    def inputs(self) -> dict[str, list[str]]:
        """Inputs of the preprocessor, by name."""
        return {"text": self.texts} | ({} if self.seconds is None else {"second": self.seconds})

    @property
    def statistics(self) -> Statistics:
        """Number of skipped rows, and of labels used only once."""
        once = sum(count == 1 for count in Counter(self.labels).values())
        rare = {"labels used only once": once if len(self.labels) > FEW else 0}
        return self.source.statistics + Statistics(rare)

    @property
    def files(self) -> list[Path]:
        """Nothing: the texts name no files."""
        return []

    @property
    def settings(self) -> dict[str, Any]:
        """Nothing: the texts are not prepared."""
        return {}

    @property
    def tokenizer(self) -> None:
        """None: the texts are not prepared."""

    def every_text(self) -> list[str]:
        """All texts, to train a tokenizer on."""
        return self.texts + (self.seconds or [])

    def texts_with_labels(self) -> tuple[list[str], list[str]]:
        """The texts, those of a pair joined by a space, and their labels."""
        if self.seconds is None:
            return self.texts, self.labels
        joined = [f"{a} {b}" for a, b in zip(self.texts, self.seconds, strict=True)]
        return joined, self.labels

    def tokenized(self, tokenization: "Tokenization[Self]") -> "Tokenized":
        """The ids of the texts and the class numbers of the labels."""
        return tokenization(self)

    def __len__(self) -> int:
        return len(self.texts)

    def sample(self, count: int) -> dict[str, list[str]]:
        """The first texts."""
        return {name: texts[:count] for name, texts in self.inputs.items()}

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first texts, or pairs of texts, for a report."""
        texts = zip(*(texts[:count] for texts in self.inputs.values()), strict=True)
        return [
            ExampleRow(" | ".join(row), row[0] if len(row) == 1 else row, label)
            for row, label in zip(texts, self.labels, strict=False)
        ]

    def split(self, share: float, seed: int = 0) -> tuple[Self, Self]:
        """Splits off validation data: a random fraction of the rows."""
        return split_rows(self, ("texts", "seconds", "labels"), share, seed)

    def __str__(self) -> str:
        what = "texts" if self.seconds is None else "pairs of texts"
        labels = counted(len(set(self.labels)), "labels")
        facts = f"{self.path}: {counted(len(self.texts), what)} with {labels}"
        cells = {**self.inputs, "label": self.labels}
        rare = self.statistics - self.source.statistics
        return with_statistics(self.source.describe(facts, cells), rare)


def read_labeled(
    data: Any, options: ReadOptions = DEFAULT, roles: Sequence[Role] = LABELED
) -> LabeledTexts:
    """Reads labeled texts, or pairs of texts; see `read_columns`.

    Args:
        data: One or several files, or a list of (text, label) or (text, second text, label).
        options: How tables are read.
        roles: The roles of the columns.

    Returns:
        The `LabeledTexts`.

    Raises:
        DataError: If a row is invalid.
        UserError: If a file is missing, has an unknown format or contains no rows, or its columns
            are ambiguous.

    Example:
        >>> read_labeled([("a fine film", "good"), ("a dull one", "bad")]).labels
        ['good', 'bad']
    """
    columns = read_columns(data, roles, "labeled texts", options)
    if not columns.cells.get("label"):
        raise UserError(f"{columns.path} contains no labeled texts")
    return _labeled(columns)


def read_labeled_in_pieces(data: Any, options: ReadOptions = DEFAULT) -> Iterator[LabeledTexts]:
    """Reads labeled texts a piece at a time; see `read_columns_in_pieces`."""
    for columns in read_columns_in_pieces(data, LABELED, "labeled texts", options):
        if columns.cells.get("label"):
            yield _labeled(columns)


def _labeled(columns: TextColumns) -> LabeledTexts:
    cells = {role: [cell.strip() for cell in column] for role, column in columns.cells.items()}
    return LabeledTexts(
        columns.path, cells["text"], cells.get("second"), cells["label"], columns.source
    )
