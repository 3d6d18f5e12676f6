"""The reader of pairs of texts with scores of their similarity, to evaluate embeddings."""

import contextlib
import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Self

from zoo.data.examples import ExampleRow
from zoo.data.in_memory import TextsInMemory
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.files import is_path, paths_of
from zoo.data.readers.numbers import is_numeric, is_value, read_numbers
from zoo.data.readers.pairs import Pairs, read_pairs
from zoo.data.readers.read_columns import TableData, read_columns
from zoo.data.readers.role_columns import choose_columns
from zoo.data.readers.roles import SCORE, SCORED_PAIR
from zoo.data.readers.source import column_label
from zoo.data.readers.tables import open_table
from zoo.data_statistics import LOGGER
from zoo.errors import UserError
from zoo.option_names import option_name

ROLES = {role.name for role in SCORED_PAIR}


@dataclasses.dataclass(frozen=True)
class ScoredPairs(TextsInMemory):
    """Pairs of texts, with or without scores of their similarity.

    Args:
        sources: The first texts.
        targets: The second texts.
        scores: The score of each pair, higher for more similar texts; None without scores.
    """

    sources: list[str]
    targets: list[str]
    scores: list[float] | None = None

    @property
    def columns(self) -> dict[str, list[Any]]:
        scores = {} if self.scores is None else {"scores": self.scores}
        return {"sources": self.sources, "targets": self.targets, **scores}

    @classmethod
    def of(cls, pairs: Pairs | Self) -> Self:
        """Pairs, which may have no scores."""
        if isinstance(pairs, cls):
            return pairs
        return cls(pairs.path, pairs.sources, pairs.targets, source=pairs.source)

    @property
    def inputs(self) -> dict[str, list[str]]:
        return {"text": self.sources}

    def every_text(self) -> list[str]:
        return self.sources + self.targets

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first pairs, for a report."""
        rows = zip(self.sources[:count], self.targets, strict=False)
        return [ExampleRow(source, source, target) for source, target in rows]

    def __str__(self) -> str:
        cells = {"source": self.sources, "target": self.targets}
        if self.scores is not None:
            cells["score"] = list(map(str, self.scores))
        what = "pairs" if self.scores is None else "pairs with scores"
        return self.source.describe(f"{self.path}: {len(self.sources):,} {what}", cells)


def read_scored_pairs(data: TableData, options: ReadOptions = DEFAULT) -> ScoredPairs:
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
    columns = read_columns(data, SCORED_PAIR, "pairs", options)
    cells = columns.cells
    if not cells.get("source"):
        raise UserError(f"{columns.path} contains no pairs")
    scores = _numbers(cells["score"], columns.path) if "score" in cells else None
    return ScoredPairs(
        columns.path, cells["source"], cells["target"], scores, source=columns.source
    )


def read_similar_pairs(data: TableData, options: ReadOptions = DEFAULT) -> Pairs:
    """Reads pairs of similar texts, as `read_pairs`; scores that differ are a warning."""
    pairs = read_pairs(data, options)
    path = paths_of(data)[0] if is_path(data) else None
    if path is not None:
        sample = open_table(path, "pairs", encoding=options.encoding).sample
        given = {name: x for name, x in options.by_role().items() if name in ROLES}
        index = None
        with contextlib.suppress(UserError):  # where the pairs alone can be told
            index = choose_columns(sample, SCORED_PAIR, given).get("score")
        cells = [] if index is None else sample.texts(index)
        if index is not None and len({*cells}) > 1 and is_numeric(cells):
            LOGGER.warning(
                "%s: %s is not trained on: all pairs are taken to be similar; leave the rows of "
                "similar texts, or train a text-pair-scorer",
                path,
                column_label(sample.names[index], sample.header),
            )
    return pairs


def _numbers(cells: Sequence[str], path: str) -> list[float]:
    """The scores of a column, which may have decimal commas."""
    bad: dict[int, str] = {}
    numbers: list[float] = read_numbers("score", cells, bad).tolist()
    for row, (cell, number) in enumerate(zip(cells, numbers, strict=True)):
        if row in bad and is_value(cell):
            raise UserError(f"{path}: {bad[row]}")
        if not math.isfinite(number):
            raise UserError(
                f"{path}: the score {cell!r:.40} is not a number; name the column of the scores "
                f"with {option_name(SCORE.option)}"
            )
    return numbers
