"""Reads pairs of a source and a target text."""

import dataclasses
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from zoo.data.examples import ExampleRow
from zoo.data.held_out import split_rows
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.read_columns import read_columns, read_columns_in_pieces
from zoo.data.readers.roles import PAIR
from zoo.data.readers.source import Source
from zoo.data.readers.text_columns import TextColumns
from zoo.data_statistics import Statistics, counted
from zoo.errors import UserError

if TYPE_CHECKING:
    from zoo.data.batching.tokenized import Tokenized
    from zoo.data.tokenization import Tokenization


@dataclasses.dataclass(frozen=True)
class Pairs:
    """Pairs of a source and a target text.

    Args:
        path: Path of the data, for messages.
        sources: The source texts.
        targets: The target texts.
        source: Where they come from.
    """

    path: str
    sources: list[str]
    targets: list[str]
    source: Source = dataclasses.field(default_factory=Source)

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def inputs(self) -> dict[str, list[str]]:
        """Inputs of the preprocessor, by name."""
        return {"text": self.sources}

    @property
    def statistics(self) -> Statistics:
        """Number of skipped rows."""
        return self.source.statistics

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

    def every_text(self) -> Iterator[str]:
        """All texts, to train a tokenizer on."""
        return itertools.chain(self.sources, self.targets)

    def tokenized(self, tokenization: "Tokenization[Self]") -> "Tokenized":
        """The ids of sources and targets."""
        return tokenization(self)

    def sample(self, count: int) -> dict[str, list[str]]:
        """The first sources."""
        return {"text": self.sources[:count]}

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first pairs, for a report."""
        rows = zip(self.sources[:count], self.targets, strict=False)
        return [ExampleRow(source, source, target) for source, target in rows]

    def split(self, share: float, seed: int = 0) -> tuple[Self, Self]:
        """Splits off validation data: a random fraction of the pairs."""
        return split_rows(self, ("sources", "targets"), share, seed)

    def __str__(self) -> str:
        cells = {"source": self.sources, "target": self.targets}
        return self.source.describe(f"{self.path}: {counted(len(self), 'pairs')}", cells)


def read_pairs(data: Any, options: ReadOptions = DEFAULT) -> Pairs:
    """Reads pairs of texts; see `read_columns`.

    Args:
        data: One or several files, or a list of (source, target).
        options: How tables are read.

    Returns:
        The `Pairs`.

    Raises:
        DataError: If a row is not a pair or not valid UTF-8.
        UserError: If a file is missing, has an unknown format or contains no pairs, or its columns
            are ambiguous.

    Example:
        >>> folder = getfixture("tmp_path")
        >>> _ = (folder / "train.tsv").write_text("a red hat\\tein roter Hut\\n")
        >>> read_pairs(folder / "train.tsv").targets
        ['ein roter Hut']
    """
    columns = read_columns(data, PAIR, "pairs", options)
    if not columns.cells.get("source"):
        raise UserError(f"{columns.path} contains no pairs")
    return _pairs(columns)


def read_pairs_in_pieces(data: Any, options: ReadOptions = DEFAULT) -> Iterator[Pairs]:
    """Reads pairs a piece at a time; see `read_columns_in_pieces`."""
    for columns in read_columns_in_pieces(data, PAIR, "pairs", options):
        if columns.cells.get("source"):
            yield _pairs(columns)


def _pairs(columns: TextColumns) -> Pairs:
    return Pairs(columns.path, columns.cells["source"], columns.cells["target"], columns.source)
