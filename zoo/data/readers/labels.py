"""Reads labeled texts and labeled pairs of texts."""

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Self

from zoo.data.held_out import split_rows
from zoo.data.readers.columns import Columns, Source, read_columns, read_columns_in_pieces
from zoo.data.readers.roles import LABELED, Role
from zoo.data_statistics import Statistics, counted, with_statistics
from zoo.errors import UserError

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


def read_labeled(data: Any, options: Any = None, roles: Sequence[Role] = LABELED) -> LabeledTexts:
    """Reads labeled texts, or pairs of texts; see `read_columns`.

    Args:
        data: One or several files, or a list of (text, label) or (text, second text, label).
        options: Options that name the columns; see `zoo.tasks.options.columns.LabeledColumns`.
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
    found = read_columns(data, roles, "labeled texts", options)
    if not found.cells.get("label"):
        raise UserError(f"{found.path} contains no labeled texts")
    return _labeled(found)


def read_labeled_in_pieces(data: Any, options: Any = None) -> Iterator[LabeledTexts]:
    """Reads labeled texts a piece at a time; see `read_columns_in_pieces`."""
    for found in read_columns_in_pieces(data, LABELED, "labeled texts", options):
        if found.cells.get("label"):
            yield _labeled(found)


def _labeled(found: Columns) -> LabeledTexts:
    columns = {name: [cell.strip() for cell in cells] for name, cells in found.cells.items()}
    return LabeledTexts(
        found.path, columns["text"], columns.get("second"), columns["label"], found.source
    )
