"""The tokenization of the examples of a task, in memory or into shards."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from zoo.data.batching.tokenized import Tokenized
from zoo.data.examples import Examples
from zoo.text.tokenizer import Tokenizer

E = TypeVar("E", bound=Examples)


@dataclass(frozen=True)
class Tokenization(Generic[E]):
    """How a task that is adapted to data turns examples into columns of ids.

    Args:
        function: Function from examples, and the number of a piece of them, to columns.
        tokenizer: The tokenizer.
        settings: The settings that the columns depend on.
        limits: The number above the values of each column, by name.
    """

    function: Callable[[E, int], Tokenized]
    tokenizer: Tokenizer
    settings: Mapping[str, Any]
    limits: Mapping[str, int]

    @property
    def vocabulary(self) -> Mapping[str, Any]:
        """The facts of the tokenizer, which are equal if the vocabularies are."""
        return self.tokenizer.facts()

    @property
    def pad(self) -> int:
        """Id of padding."""
        return self.tokenizer.special_tokens.pad

    def __call__(self, examples: E, number: int = 0) -> Tokenized:
        """Tokenizes examples: all of them, or the piece with a number."""
        return self.function(examples, number)
