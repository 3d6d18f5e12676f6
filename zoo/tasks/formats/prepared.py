"""What the formats share whose data may be prepared: settings, and how they tokenize."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from zoo.data.batching.tokenized import Tokenized
from zoo.data.examples import Examples
from zoo.tasks.options.common import TaskSettings
from zoo.text.tokenizer import Tokenizer

S = TypeVar("S", bound=TaskSettings)
E = TypeVar("E", bound=Examples)

OF_TOKENIZER = ("tokenizer", "vocabulary_size")


def completed(settings: S, prepared: Mapping[str, Any], depends_on: Sequence[str]) -> S:
    """The settings of a task with those that its training data was prepared with.

    Args:
        settings: The settings. Those that were given stay, except those of the tokenizer.
        prepared: The settings of the data; empty if it is not prepared.
        depends_on: The settings that tokenized examples depend on.
    """
    now = settings.values()
    values = dict(now)
    if prepared:
        values |= {name: prepared.get(name) for name in depends_on if now[name] is None}
    values |= {name: prepared[name] for name in OF_TOKENIZER if name in prepared and name in now}
    return type(settings)(**values)


@dataclass(frozen=True)
class TokensOf(Generic[E]):
    """A `zoo.data.tokenization.Tokenization` that is a function.

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
        return self.tokenizer.facts()

    @property
    def pad(self) -> int:
        return self.tokenizer.special_tokens.pad

    def __call__(self, examples: E, number: int = 0) -> Tokenized:
        return self.function(examples, number)
