"""The interfaces by which a task tokenizes examples, in memory or into shards."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from zoo.data.batching.tokenized import Tokenized
from zoo.data.examples import Examples

E_contra = TypeVar("E_contra", bound=Examples, contravariant=True)


class Tokenization(Protocol[E_contra]):
    """How a task that is adapted to data turns examples into columns of ids."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings that the columns depend on."""

    @property
    def vocabulary(self) -> Mapping[str, Any]:
        """The facts of the tokenizer, which are equal if the vocabularies are."""

    @property
    def limits(self) -> Mapping[str, int]:
        """The number above the values of each column, by name."""

    @property
    def pad(self) -> int:
        """Id of padding."""

    def __call__(self, examples: E_contra, number: int = 0) -> Tokenized:
        """Tokenizes examples.

        Args:
            examples: All examples, or a piece of them.
            number: The number of the piece.
        """
