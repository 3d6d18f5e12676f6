"""The reader of pairs of a source and a target text."""

import dataclasses
import itertools
from collections.abc import Iterator

from zoo.data.examples import ExampleRow
from zoo.data.in_memory import TextsInMemory
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.read_columns import TableData, read_columns, read_columns_in_pieces
from zoo.data.readers.roles import PAIR
from zoo.data.readers.text_columns import TextColumns
from zoo.data_statistics import counted
from zoo.errors import UserError


@dataclasses.dataclass(frozen=True)
class Pairs(TextsInMemory):
    """Pairs of a source and a target text.

    Args:
        sources: The source texts.
        targets: The target texts.
    """

    sources: list[str]
    targets: list[str]

    @property
    def columns(self) -> dict[str, list[str]]:
        return {"sources": self.sources, "targets": self.targets}

    @property
    def inputs(self) -> dict[str, list[str]]:
        return {"text": self.sources}

    def every_text(self) -> Iterator[str]:
        return itertools.chain(self.sources, self.targets)

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first pairs, for a report."""
        rows = zip(self.sources[:count], self.targets, strict=False)
        return [ExampleRow(source, source, target) for source, target in rows]

    def __str__(self) -> str:
        cells = {"source": self.sources, "target": self.targets}
        return self.source.describe(f"{self.path}: {counted(len(self), 'pairs')}", cells)


def read_pairs(data: TableData, options: ReadOptions = DEFAULT) -> Pairs:
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


def read_pairs_in_pieces(data: TableData, options: ReadOptions = DEFAULT) -> Iterator[Pairs]:
    """Reads pairs a piece at a time; see `read_columns_in_pieces`."""
    for columns in read_columns_in_pieces(data, PAIR, "pairs", options):
        if columns.cells.get("source"):
            yield _pairs(columns)


def _pairs(columns: TextColumns) -> Pairs:
    return Pairs(
        columns.path, columns.cells["source"], columns.cells["target"], source=columns.source
    )
