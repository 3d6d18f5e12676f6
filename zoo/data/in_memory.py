"""Examples in memory: what follows from their columns, whatever these are."""

import dataclasses
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from zoo.data.examples import ExampleRow
from zoo.data.held_out import Part, held_rows, part_of
from zoo.data.readers.source import DataSource
from zoo.data_statistics import Statistics

if TYPE_CHECKING:
    from zoo.data.batching.tokenized import Tokenized
    from zoo.data.tokenization import Tokenization


@dataclasses.dataclass(frozen=True)
class InMemory:
    """Base of what readers return: a subclass says its columns, and which of them are inputs.

    Args:
        path: Path of the data, for messages.
        source: Where they come from.
    """

    path: str
    source: DataSource = dataclasses.field(default_factory=DataSource, kw_only=True)

    @property
    def columns(self) -> Mapping[str, Sequence[Any]]:
        """The fields that have an entry for each row, by name."""
        raise NotImplementedError

    @property
    def inputs(self) -> Mapping[str, Sequence[Any]]:
        """Raw inputs of the preprocessor, by name."""
        raise NotImplementedError

    @property
    def statistics(self) -> Statistics:
        """Counts of skipped rows."""
        return self.source.statistics

    @property
    def files(self) -> list[Path]:
        """Nothing, unless rows name files, such as images."""
        return []

    @property
    def column_names(self) -> Mapping[str, str]:
        """The name of the column for each role, of files that name their columns."""
        return self.source.names if self.source.header else {}

    @property
    def readable(self) -> Self:
        """These examples, which have what was read; None of prepared data, which has ids."""
        return self

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def rows_held_out(self) -> str:
        """What `split` holds out, for the message that there are too few."""
        return "rows"

    def cell_identity(self, cell: Any) -> Hashable:
        """What is equal for equal cells of a column."""
        return tuple(cell) if isinstance(cell, list) else cell

    def sample(self, count: int) -> dict[str, list[Any]]:
        """Nothing, unless the preprocessor keeps no inputs itself."""
        return {}

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first rows, for a report."""
        raise NotImplementedError

    def split(self, part: Part | float, seed: int = 0) -> tuple[Self, Self]:
        """Splits off a random part of the rows, for validation.

        Equal rows stay on the same side, so that no validation example is in the training data.

        Args:
            part: The fraction or the fold of the rows to hold out.
            seed: Random seed.

        Raises:
            UserError: If there are too few rows.
        """
        columns = self.columns
        rows = list(zip(*(map(self.cell_identity, each) for each in columns.values()), strict=True))
        distinct = list(dict.fromkeys(rows))
        held = held_rows(distinct, part, seed, self.path, self.rows_held_out)
        kept, held_out = (
            {
                name: [cell for cell, row in zip(column, rows, strict=True) if (row in held) == out]
                for name, column in columns.items()
            }
            for out in (False, True)
        )
        name = f"{part_of(part)} of {self.path}"
        return self.with_columns(kept), dataclasses.replace(self.with_columns(held_out), path=name)

    def with_columns(self, columns: Mapping[str, Sequence[Any]]) -> Self:
        """The same with other rows."""
        fields: dict[str, Any] = {**columns}
        return dataclasses.replace(self, **fields)


class Unprepared:
    """Texts in memory beside prepared data, of which both are `TextExamples`."""

    @property
    def settings(self) -> dict[str, Any]:
        """Nothing: the texts are not prepared."""
        return {}

    @property
    def tokenizer(self) -> None:
        """None: the texts are not prepared."""

    @property
    def is_prepared(self) -> bool:
        """False: there are texts."""
        return False


class TextsInMemory(Unprepared, InMemory):
    """Base of examples in memory whose inputs are texts."""

    @property
    def inputs(self) -> dict[str, list[str]]:
        """Inputs of the preprocessor, by name."""
        raise NotImplementedError

    def every_text(self) -> Iterable[str]:
        """All texts, to train a tokenizer on."""
        return self.inputs["text"]

    def sample(self, count: int) -> dict[str, list[str]]:
        """The first texts."""
        return {name: texts[:count] for name, texts in self.inputs.items()}

    def tokenized(self, tokenization: "Tokenization[Any]") -> "Tokenized":
        """The texts, and what belongs to them, as columns of ids."""
        return tokenization(self)
