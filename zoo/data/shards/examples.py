"""Prepared data as examples, for tasks that train on data in memory in the same way."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from zoo.data.batching.tokenized import Tokenized
from zoo.data.batching.windows import ShardWindows
from zoo.data.examples import ExampleRow
from zoo.data.held_out import Part
from zoo.data.readers.files import is_path, paths_of
from zoo.data.shards.batches import ShardBatches
from zoo.data.shards.manifest import TASK, Shards, is_shards, read_shards
from zoo.data.shards.permutation import Permutation
from zoo.data.shards.stored_columns import columns_of
from zoo.data.tokenization import Tokenization
from zoo.data_statistics import Statistics
from zoo.errors import UserError
from zoo.option_names import option_name
from zoo.text import load_tokenizer
from zoo.text.tokenizer import Tokenizer

TOKENIZER = "tokenizer"  # folder in that of the task


@dataclass(frozen=True)
class StoredTokens(Tokenized):
    """Columns on the disk, of which batches are read with little memory.

    Args:
        shards: The shards that have the columns.
    """

    window_batches = ShardWindows
    shards: Shards | None = None

    @property
    def in_memory(self) -> bool:
        return False

    def shuffled(self, count: int, random: np.random.Generator) -> Permutation:
        return Permutation(random, count)

    @property
    def stream(self) -> Any:
        return self.columns["token_ids"]

    def bucketed(self, *args: Any, **options: Any) -> ShardBatches:
        return ShardBatches(self.shards, self.columns, *args, **options)


@dataclass(frozen=True)
class PreparedExamples:
    """Prepared data; they have ids, and no texts.

    Args:
        shards: The shards.
    """

    shards: Shards

    @property
    def path(self) -> str:
        return self.shards.path

    @property
    def statistics(self) -> Statistics:
        return self.shards.statistics

    @property
    def files(self) -> list[Path]:
        return []

    @property
    def labels(self) -> list[str]:
        """The labels in class order."""
        return list(self.shards.settings.get("labels") or [])

    @property
    def inputs(self) -> dict[str, list[Any]]:
        self._refuse()

    def every_text(self) -> NoReturn:
        self._refuse()

    @property
    def texts(self) -> list[str]:
        """Raises a `UserError`: prepared data has no texts."""
        self._refuse()

    @property
    def scored_bytes(self) -> int:
        """Raises a `UserError`: prepared data has no texts."""
        self._refuse()

    def half_lines(self, count: int) -> list[str]:
        """Raises a `UserError`: prepared data has no texts."""
        self._refuse()

    def sentences(self) -> list[str]:
        """Raises a `UserError`: prepared data has no texts."""
        self._refuse()

    @property
    def readable(self) -> None:
        """None: there are ids, and no texts."""
        return None

    @property
    def is_prepared(self) -> bool:
        """True: there are ids, and no texts."""
        return True

    @property
    def targets(self) -> list[str]:
        """Raises a `UserError`: prepared data has no texts."""
        self._refuse()

    @property
    def sources(self) -> list[str]:
        """Raises a `UserError`: prepared data has no texts."""
        self._refuse()

    def class_numbers(self, labels: Sequence[str]) -> NoReturn:
        """Raises a `UserError`: the numbers are in the columns of tokens alone."""
        raise UserError(
            f"{self.path} is prepared data, whose labels are not counted for "
            f"{option_name('class_weight')}: train on the files"
        )

    def texts_with_labels(self) -> None:
        """None: there are no texts beside the labels."""

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that the data was prepared with, and those of the model as defaults."""
        return self.shards.settings

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer that the data was prepared with."""
        return load_tokenizer(self.shards.folder / TASK / TOKENIZER)

    @property
    def column_names(self) -> dict[str, str]:
        """Nothing: prepared data names no columns."""
        return {}

    def __len__(self) -> int:
        return len(self.shards)

    def __str__(self) -> str:
        return str(self.shards)

    def split(self, part: Part | float, seed: int = 0) -> NoReturn:
        raise UserError(
            f"{self.path} is prepared data, of which no part can be held out: prepare the "
            f"validation data with --like {self.path}"
        )

    def sample(self, count: int) -> dict[str, list[Any]]:
        return {name: rows[:count] for name, rows in self.shards.examples.items()}

    def first_rows(self, count: int) -> list[ExampleRow]:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise UserError(f"{self.path} is prepared data, which has no texts: use the files")

    def tokenized(self, tokenization: Tokenization[Any]) -> StoredTokens:
        """The columns on the disk.

        Raises:
            UserError: If they were made by another tokenization.
        """
        for name, now in tokenization.settings.items():
            then = self.settings.get(name)
            if then != now:
                raise UserError(
                    f"{self.path} is prepared with {name} {then}, and the task has {now}: use the "
                    "same, or prepare the data again"
                )
        if self.tokenizer.facts() != tokenization.vocabulary:
            raise UserError(
                f"{self.path} is prepared with another vocabulary: prepare the data with "
                "--like the training data"
            )
        columns: Any = columns_of(self.shards, tokenization.limits, tokenization.pad)
        return StoredTokens(columns, self.statistics, self.shards)


def read_prepared(data: Any, task: str) -> PreparedExamples | None:
    """Reads prepared data, or returns None if the data is not prepared.

    Raises:
        UserError: If it is prepared for another task, or is not given as one folder.
    """
    if not is_shards(data):
        if is_path(data) and any(is_shards(path) for path in paths_of(data)):
            raise UserError(
                "prepared data must be given as one folder, by its name: prepare all files together"
            )
        return None
    shards = read_shards(Path(data[0] if isinstance(data, list | tuple) else data))
    if shards.task != task:
        raise UserError(f"{shards.folder} is prepared for {shards.task}, not for {task}")
    return PreparedExamples(shards)
