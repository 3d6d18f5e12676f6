"""Reads pairs of texts with scores of their similarity, to evaluate embeddings."""

import dataclasses
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from zoo.data.examples import ExampleRow
from zoo.data.held_out import split_rows
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.pairs import Pairs
from zoo.data.readers.read_columns import read_columns
from zoo.data.readers.roles import SCORE, SCORED_PAIR
from zoo.data.readers.source import Source
from zoo.data_statistics import Statistics
from zoo.errors import UserError
from zoo.option_names import option_name

if TYPE_CHECKING:
    from zoo.data.batching.tokenized import Tokenized
    from zoo.data.tokenization import Tokenization


@dataclasses.dataclass(frozen=True)
class ScoredPairs:
    """Pairs of texts, with or without scores of their similarity.

    Args:
        path: Path of the data, for messages.
        sources: The first texts.
        targets: The second texts.
        scores: The score of each pair, higher for more similar texts; None without scores.
        source: Where they come from.
    """

    path: str
    sources: list[str]
    targets: list[str]
    scores: list[float] | None = None
    source: Source = dataclasses.field(default_factory=Source)

    @classmethod
    def of(cls, pairs: Pairs | Self) -> Self:
        """Pairs, which may have no scores."""
        if isinstance(pairs, cls):
            return pairs
        return cls(pairs.path, pairs.sources, pairs.targets, source=pairs.source)

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

    def every_text(self) -> list[str]:
        """All texts."""
        return self.sources + self.targets

    def tokenized(self, tokenization: "Tokenization[Self]") -> "Tokenized":
        """The ids of the texts."""
        return tokenization(self)

    def __len__(self) -> int:
        return len(self.sources)

    def sample(self, count: int) -> dict[str, list[str]]:
        """The first texts."""
        return {"text": self.sources[:count]}

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first pairs, for a report."""
        rows = zip(self.sources[:count], self.targets, strict=False)
        return [ExampleRow(source, source, target) for source, target in rows]

    def split(self, share: float, seed: int = 0) -> tuple[Self, Self]:
        """Splits off a random fraction of the pairs."""
        return split_rows(self, ("sources", "targets", "scores"), share, seed)

    def __str__(self) -> str:
        cells = {"source": self.sources, "target": self.targets}
        if self.scores is not None:
            cells["score"] = list(map(str, self.scores))
        what = "pairs" if self.scores is None else "pairs with scores"
        return self.source.describe(f"{self.path}: {len(self.sources):,} {what}", cells)


def read_scored_pairs(data: Any, options: ReadOptions = DEFAULT) -> ScoredPairs:
    """Reads pairs of texts that may have scores; see `read_columns`.

    Args:
        data: One or several files, or a list of (text, second text) or of (text, second text,
            score).
        options: The names of columns, and how tables are read.

    Raises:
        DataError: If a row is no pair.
        UserError: If there are no pairs, a score is not a number, or columns are ambiguous.

    Example:
        >>> read_scored_pairs([("a hat", "the hat", 5), ("a hat", "a cat", 1.5)]).scores
        [5.0, 1.5]
    """
    found = read_columns(data, SCORED_PAIR, "pairs", options)
    cells = found.cells
    if not cells.get("source"):
        raise UserError(f"{found.path} contains no pairs")
    scores = [_number(cell, found.path) for cell in cells["score"]] if "score" in cells else None
    return ScoredPairs(found.path, cells["source"], cells["target"], scores, found.source)


def _number(cell: str, path: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise UserError(
            f"{path}: the score {cell!r:.40} is not a number; name the column of the scores with "
            f"{option_name(SCORE.option)}"
        )
    return number
