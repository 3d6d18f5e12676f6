"""The input of models that generate texts: a prompt, or a source."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from zoo.heads.head import Reader
from zoo.preprocessing.base import Features, TensorSpec
from zoo.preprocessing.detokenizer import Detokenizer
from zoo.preprocessing.text import TextPreprocessor
from zoo.serving.inference import Tensors
from zoo.tasks.parts import Fitted
from zoo.tasks.parts.kinds import P, S
from zoo.text.tokenizer import Tokenizer

Axes = tuple[int | str | None, ...]


@runtime_checkable
class GenerationInput(Protocol[S, P]):
    """What an `Input` has besides if its model generates a text."""

    def reader(self, fitted: Fitted[S, P]) -> Reader:
        """How the model reads features."""

    def max_new_tokens(self, settings: S) -> int:
        """Default maximum number of tokens to generate."""

    def writer(self, preprocessor: P) -> Detokenizer:
        """What converts generated ids to texts."""

    def length(self, fitted: Fitted[S, P], features: Mapping[str, Any]) -> int:
        """The length of the longest input in features, in tokens."""

    def longest(self, fitted: Fitted[S, P], options: Mapping[str, Any]) -> int:
        """The largest length of an input, in tokens.

        Args:
            fitted: The settings, the preprocessor and the model.
            options: Options of generation.
        """

    def check_length(self, fitted: Fitted[S, P], tokens: int, new_tokens: int) -> None:
        """Raises a `UserError` if inputs and outputs of these lengths exceed the model's limit."""

    def features_of(self, fitted: Fitted[S, P], source: Any) -> Features:
        """The features of ids, or of what else `generate_ids` takes."""

    def score_calls(
        self, fitted: Fitted[S, P], calls: Mapping[str, list[dict[str, Any]]]
    ) -> list[dict[str, Any]]:
        """Calls of the signature that scores given tokens, from those of the main signatures."""


class SourceInput(GenerationInput[S, P], Protocol[S, P]):
    """What an `Input` has besides if its model has a source beside the text that it writes."""

    def teacher_forced(self, fitted: Fitted[S, P], columns: Features) -> Tensors:
        """Converts a source and `target_ids` to the inputs of the model in training."""

    def scored_sources(self, fitted: Fitted[S, P]) -> dict[str, TensorSpec]:
        """Spec of each feature of a source beside `target_ids`, as `teacher_forced` takes them."""

    def map_axes(self, fitted: Fitted[S, P]) -> dict[str, Axes]:
        """Axes of the attention maps of each part."""

    def targets(self, settings: S, preprocessor: P) -> TextPreprocessor:
        """The preprocessor of target texts."""


def target_preprocessor(tokenizer: Tokenizer, length: int) -> TextPreprocessor:
    """The preprocessor of target texts of a maximum number of tokens."""
    start = tokenizer.special_tokens.starts
    return TextPreprocessor(tokenizer, length, start=start, what="targets")
