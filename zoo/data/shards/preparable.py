"""The parts that prepare data for a task: its reader, its tokenizer, and what shards depend on."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from zoo.data.batching.tokenized import Tokenized
from zoo.text.tokenizer import Tokenizer


class Preparable(Protocol):
    """Reads data a piece at a time, and tokenizes each."""

    name: str  # of the task
    seed: int  # of the sample that it learns from
    column_kinds: Mapping[str, str]
    sorted_by: tuple[str, ...]

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer."""

    @property
    def examples(self) -> dict[str, list[Any]]:
        """Some raw inputs."""

    def fingerprint(self) -> dict[str, Any]:
        """What determines the shards, besides the data."""

    def source_of(self, data: Any) -> str:
        """The names of the files, for the log."""

    def pieces(self, data: Any) -> Iterator[Any]:
        """Reads data a piece at a time."""

    def tokenized(self, examples: Any, number: int = 0) -> Tokenized:
        """Tokenizes a piece with its number."""

    def learn_to_prepare(self, examples: Any, labels: list[str]) -> None:
        """Learns the tokenizer from a sample, unless there is one; and takes all labels."""

    def prepared_settings(self) -> dict[str, Any]:
        """The settings that the shards depend on."""

    def save_prepared(self, folder: Path) -> None:
        """Saves what another process needs to tokenize."""

    def use_prepared(self, folder: Path) -> None:
        """Takes the tokenizer and the labels from what `save_prepared` wrote."""
