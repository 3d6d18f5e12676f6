"""The reader of the labeled texts of several tasks."""

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Self

from zoo.data.examples import ExampleRow
from zoo.data.in_memory import Unprepared
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.labels import LabeledTexts, read_labeled
from zoo.data.readers.read_columns import TableData
from zoo.data_statistics import Statistics
from zoo.errors import UserError


@dataclasses.dataclass(frozen=True)
class LabeledTasks(Unprepared):
    """The labeled texts of each task, by name."""

    parts: dict[str, LabeledTexts]

    @property
    def path(self) -> str:
        """Where they come from."""
        return ", ".join(part.path for part in self.parts.values())

    @property
    def inputs(self) -> dict[str, list[str]]:
        """The texts of the first task."""
        return {"text": self._first.texts}

    @property
    def _first(self) -> LabeledTexts:
        return next(iter(self.parts.values()))

    @property
    def files(self) -> list[Path]:
        """Nothing: the texts name no files."""
        return []

    def every_text(self) -> Iterator[str]:
        """The texts of all tasks, to train a tokenizer on."""
        for part in self.parts.values():
            yield from part.every_text()

    def __len__(self) -> int:
        return sum(map(len, self.parts.values()))

    def sample(self, count: int) -> dict[str, list[str]]:
        """The first texts of the first task."""
        return {"text": self._first.texts[:count]}

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first rows of each task, for a report; their data are its name and an input."""
        of_each = max(1, count // len(self.parts))
        return [
            ExampleRow(f"{name}: {row.name}", (name, row.data), row.reference)
            for name, part in self.parts.items()
            for row in part.first_rows(of_each)
        ]

    @property
    def statistics(self) -> Statistics:
        """Counts of skipped rows."""
        return sum((part.statistics for part in self.parts.values()), Statistics())

    def split(self, share: float, seed: int = 0) -> tuple[Self, Self]:
        """Splits off validation data: a random fraction of the rows of each task."""
        both = {name: part.split(share, seed) for name, part in self.parts.items()}
        kept, held_out = ({name: pair[i] for name, pair in both.items()} for i in (0, 1))
        return type(self)(kept), type(self)(held_out)

    def __str__(self) -> str:
        return "; ".join(f"{name}: {part}" for name, part in self.parts.items())


def read_labeled_tasks(
    data: Mapping[str, TableData], options: ReadOptions = DEFAULT
) -> LabeledTasks:
    """Reads the data of each task; see `read_labeled`.

    Args:
        data: Dictionary from the name of a task to its data; see `read_labeled`.
        options: How tables are read.

    Raises:
        UserError: If there is no task, or the name of a task contains a slash.

    Example:
        >>> str(read_labeled_tasks({"films": [("a fine one", "good"), ("a dull one", "bad")]}))
        'films: data in memory: 2 texts with 2 labels'
    """
    if not isinstance(data, Mapping) or not data:
        raise UserError("the data of multi-task must name at least one task, as {name: rows}")
    for name in data:
        if "/" in name:
            raise UserError(f"the name of a task must not contain a slash, got {name!r}")
    return LabeledTasks({name: read_labeled(rows, options) for name, rows in data.items()})
