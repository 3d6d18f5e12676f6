"""The tokenizers that an encoder can have, and what they decide of the options of its model."""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from zoo.data.examples import TextExamples
from zoo.tasks.options.common import TOKENIZERS, WORDS
from zoo.tasks.parts.kinds import S
from zoo.text.tokenizer import Tokenizer

E = TypeVar("E", bound=TextExamples)


class TokenizerChoice(Generic[S, E]):
    """The tokenizer that settings name, whatever the training data."""

    kinds: tuple[str, ...] = (*TOKENIZERS, WORDS)  # that settings may name

    def choose(self, examples: E, settings: S) -> tuple[S, tuple[str, ...]]:
        """The settings with a tokenizer that can be trained, and lines for the log."""
        return settings, ()

    def model_options(
        self, tokenizer: Tokenizer, settings: S, given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The options of the model that its tokenizer decides, unless they are given."""
        return {}
