"""The examples of several tasks, which may be of different kinds."""

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from zoo.data.examples import ExampleRow
from zoo.data.held_out import Part
from zoo.data.in_memory import TextsInMemory, Unprepared
from zoo.data_statistics import Statistics


@dataclasses.dataclass(frozen=True)
class ExamplesOfTasks(Unprepared):
    """The examples of each task, by name.

    Args:
        parts: The examples.
        kinds: The kind of each task.
        options: The options that the examples of a task were read with, where they have some.
    """

    parts: dict[str, TextsInMemory]
    kinds: Mapping[str, str]
    options: Mapping[str, dict[str, Any]] = dataclasses.field(default_factory=dict)

    @property
    def path(self) -> str:
        """Where they come from."""
        return ", ".join(part.path for part in self.parts.values())

    @property
    def inputs(self) -> dict[str, list[str]]:
        """The texts of the first task."""
        return {"text": self._first.inputs["text"]}

    @property
    def _first(self) -> TextsInMemory:
        return next(iter(self.parts.values()))

    @property
    def files(self) -> list[Path]:
        """Nothing: the texts name no files."""
        return []

    @property
    def column_names(self) -> dict[str, str]:
        """The name of the column for each role, which is the same in the tables of all tasks."""
        first, *others = (part.column_names.items() for part in self.parts.values())
        return dict(each for each in first if all(each in other for other in others))

    def every_text(self) -> Iterator[str]:
        """The texts of all tasks, to train a tokenizer on."""
        for part in self.parts.values():
            yield from part.every_text()

    def __len__(self) -> int:
        return sum(map(len, self.parts.values()))

    def sample(self, count: int) -> dict[str, list[str]]:
        """The first texts of the first task."""
        return {"text": self._first.inputs["text"][:count]}

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first rows of each task, for a report; their data are its name and an input."""
        of_each = self.rows_of_each(count)
        return [
            ExampleRow(f"{name}: {row.name}", (name, row.data), row.reference)
            for name, part in self.parts.items()
            for row in part.first_rows(of_each)
        ]

    def rows_of_each(self, count: int) -> int:
        """How many rows of each task a report of so many rows shows."""
        return max(1, count // len(self.parts))

    @property
    def statistics(self) -> Statistics:
        """Counts of skipped rows."""
        return sum((part.statistics for part in self.parts.values()), Statistics())

    def split(self, part: Part | float, seed: int = 0) -> tuple[Self, Self]:
        """Splits off validation data: a part of the rows of each task."""
        both = {name: each.split(part, seed) for name, each in self.parts.items()}
        kept, held_out = ({name: pair[i] for name, pair in both.items()} for i in (0, 1))
        return dataclasses.replace(self, parts=kept), dataclasses.replace(self, parts=held_out)

    def __str__(self) -> str:
        return "; ".join(
            f"{name} ({self.kinds[name]}): {part}" for name, part in self.parts.items()
        )
