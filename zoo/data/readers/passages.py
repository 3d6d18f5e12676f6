"""The reader of queries with passages: with scores, or with the passages that answer them."""

import dataclasses
import random
from collections.abc import Iterable, Sequence
from typing import Any, Self, cast

from zoo.data.held_out import Part, held_rows, part_of
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.files import is_path, paths_of
from zoo.data.readers.memory_tables import table_in_memory
from zoo.data.readers.read_columns import TableData, read_columns
from zoo.data.readers.roles import (
    NEGATIVE,
    PASSAGES,
    QUERY,
    QUERY_ID,
    RANKED,
    RELEVANCE,
    Role,
)
from zoo.data.readers.tables import open_table
from zoo.data.readers.text_columns import TextColumns
from zoo.data.readers.values import ValuedTexts, cell_values, value_names
from zoo.data.valued_rows import ranges
from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.option_names import option_name

WHAT = "queries with passages"
WITHOUT_HEADER = (QUERY, RANKED, RELEVANCE)


@dataclasses.dataclass(frozen=True)
class ScoredPassages(ValuedTexts):
    """Queries (`texts`), a passage of each (`seconds`), and the score of the passage (`values`).

    Args:
        queries: The id of the query of each row: rows with the same one are ranked together.
        sampled: How many passages were sampled for each that answers its query; 0 if none were.
    """

    queries: list[str]
    sampled: int = 0

    @property
    def answers(self) -> dict[str, list[Any]]:
        return {**super().answers, "queries": self.queries}

    def split(self, part: Part | float, seed: int = 0) -> tuple[Self, Self]:
        """Splits off a random part of the queries, with all of their passages.

        Raises:
            UserError: If there are too few queries.
        """
        held = held_rows(list(dict.fromkeys(self.queries)), part, seed, self.path, "queries")
        kept, held_out = (
            self.with_columns(
                {
                    name: [
                        cell
                        for cell, query in zip(column, self.queries, strict=True)
                        if (query in held) == out
                    ]
                    for name, column in self.columns.items()
                }
            )
            for out in (False, True)
        )
        return kept, dataclasses.replace(held_out, path=f"{part_of(part)} of {self.path}")

    def __str__(self) -> str:
        facts = f"{counted(len(set(self.queries)), 'queries')}, {counted(len(self), 'passages')}: "
        return self.described([facts + ranges(self.names, self.values)])


def read_passages(
    data: TableData, options: ReadOptions = DEFAULT, negatives: int = 4
) -> ScoredPassages:
    """Reads queries with passages; see `read_columns`.

    Without scores, the passage of a row answers its query, and has the score 1. Passages with the
    score 0 are those in the column of negatives or, without one, passages of other rows, sampled
    with the same seed each time; `sampled` says so, since other ones may be drawn in training.

    Args:
        data: One or several files, or a list of (query, passage), (query, passage, score) or
            (query, passage, negative).
        options: The names of columns, and how tables are read.
        negatives: How many passages to sample for each one that answers its query.

    Raises:
        DataError: If a row is invalid.
        UserError: If there are no rows, a score is not a number, there are scores and negatives,
            or columns are ambiguous.

    Example:
        >>> rows = read_passages([("a hat", "the hat", "a cat"), ("tea", "cold tea", "a hut")])
        >>> rows.seconds, rows.values
        (['the hat', 'a cat', 'cold tea', 'a hut'], [(1.0,), (0.0,), (1.0,), (0.0,)])
    """
    if not is_path(data) and table_in_memory(data) is None:
        data = list(cast(Iterable[Any], data))
    columns = read_columns(data, _roles(data, options), WHAT, options)
    cells = columns.cells
    if not cells.get(QUERY.name):
        raise UserError(f"{columns.path} contains no {WHAT}")
    scored, contrasted = RELEVANCE.name in cells, NEGATIVE.name in cells
    if scored and contrasted:
        raise UserError(
            f"{columns.path} has both scores ({columns.names.get(RELEVANCE.name, 'score')}) and "
            f"negatives ({columns.names.get(NEGATIVE.name, 'negative')}): leave out one column"
        )
    queries = [each.strip() for each in cells[QUERY.name]]
    passages = [each.strip() for each in cells[RANKED.name]]
    ids = cells.get(QUERY_ID.name, queries)
    if scored:
        values = cell_values(columns.path, cells, [RELEVANCE])
        names = value_names([RELEVANCE], columns.names, columns.header)
        return _examples(columns, queries, passages, values, names, ids)
    scores: dict[tuple[str, str, str], float] = {}
    for id, query, passage in zip(ids, queries, passages, strict=True):
        scores[id, query, passage] = 1.0
    others = cells[NEGATIVE.name] if contrasted else None
    for row, passage in _negatives(columns.path, ids, passages, others, negatives):
        scores.setdefault((ids[row], queries[row], passage), 0.0)
    order = {id: number for number, id in enumerate(dict.fromkeys(ids))}
    rows = sorted(scores, key=lambda row: order[row[0]])
    values = [(scores[row],) for row in rows]
    columns_of_rows = ([row[i] for row in rows] for i in (1, 2, 0))
    queries, passages, ids = columns_of_rows
    examples = _examples(columns, queries, passages, values, ["score"], ids)
    return examples if contrasted else dataclasses.replace(examples, sampled=negatives)


def _negatives(
    path: str, ids: Sequence[str], passages: Sequence[str], given: Sequence[str] | None, count: int
) -> Iterable[tuple[int, str]]:
    """Rows, each with a passage that does not answer its query."""
    if given is not None:
        return [(row, passage.strip()) for row, passage in enumerate(given)]
    pool, generator = list(dict.fromkeys(passages)), random.Random(0)
    own: dict[str, set[str]] = {}
    for id, passage in zip(ids, passages, strict=True):
        own.setdefault(id, set()).add(passage)
    negatives = []
    for row, id in enumerate(ids):
        drawn = generator.sample(pool, min(len(pool), count + len(own[id])))
        negatives += [(row, each) for each in drawn if each not in own[id]][:count]
    if count and not negatives:
        raise UserError(
            f"{path}: all passages answer the same query, so none can be sampled that does not; "
            f"give scores, or name a column of such passages with {option_name(NEGATIVE.option)}"
        )
    return negatives


def _examples(
    columns: TextColumns,
    queries: list[str],
    passages: list[str],
    values: list[tuple[float, ...]],
    names: list[str],
    ids: list[str],
) -> ScoredPassages:
    read = {"text": QUERY.name, "second": RANKED.name}
    known = {name: columns.names[role] for name, role in read.items() if role in columns.names}
    source = dataclasses.replace(columns.source, names=known)
    return ScoredPassages(columns.path, queries, passages, values, names, ids, source=source)


def _roles(data: TableData, options: ReadOptions) -> Sequence[Role]:
    """The roles of the columns of files; of rows in memory, what their third cell is."""
    given = options.by_role()
    if is_path(data):
        first = paths_of(data)[0]
        reader = open_table(first, WHAT, options.names.given(), options.encoding)
        has_names = reader.header
    else:
        has_names = table_in_memory(data) is not None
    if has_names:
        return PASSAGES
    if not is_path(data):
        row: Any = next(iter(data), ())
        contrasted = not isinstance(row, str) and len(row) == 3 and isinstance(row[2], str)
        return (QUERY, RANKED, NEGATIVE) if contrasted else WITHOUT_HEADER
    return [role for role in PASSAGES if role in WITHOUT_HEADER or role.name in given]
