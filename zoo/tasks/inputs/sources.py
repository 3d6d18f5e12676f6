"""What a model reads that generates a text: a prompt, or a source."""

from collections.abc import Mapping
from typing import Any, TypeVar

import keras
import numpy as np

from zoo.data.examples import Examples
from zoo.preprocessing.base import Features, Preprocessor, TensorSpec
from zoo.preprocessing.detokenizer import Detokenizer
from zoo.preprocessing.text import TextPreprocessor
from zoo.serving.inference import Tensors
from zoo.tasks.options.common import TaskSettings
from zoo.tasks.parts import Fitted, Input

S = TypeVar("S", bound=TaskSettings)
P = TypeVar("P", bound=Preprocessor)
M = TypeVar("M", bound=keras.Model)
E = TypeVar("E", bound=Examples)

Axes = tuple[int | str | None, ...]


class GenerationInput(Input[S, P, M, E]):
    """The input of a model that generates a text."""

    def max_new_tokens(self, settings: S) -> int:
        """Default maximum number of tokens to generate."""
        raise NotImplementedError

    def writer(self, preprocessor: P) -> Detokenizer:
        """What converts generated ids to texts."""
        raise NotImplementedError

    def length(self, fitted: Fitted[S, P, M], features: Mapping[str, Any]) -> int:
        """The length of the longest input in features, in tokens."""
        raise NotImplementedError

    def longest(self, fitted: Fitted[S, P, M], options: Mapping[str, Any]) -> int:
        """The largest length of an input, in tokens.

        Args:
            fitted: The settings, the preprocessor and the model.
            options: Options of generation.
        """
        raise NotImplementedError

    def check_length(self, fitted: Fitted[S, P, M], tokens: int, new_tokens: int) -> None:
        """Raises a `UserError` if inputs and outputs of these lengths exceed the model's limit."""

    def features_of(self, fitted: Fitted[S, P, M], source: Any) -> Features:
        """The features of ids, or of what else `generate_ids` takes."""
        return {"token_ids": np.asarray(source, "int32")}

    def score_calls(
        self, fitted: Fitted[S, P, M], calls: Mapping[str, list[dict[str, Any]]]
    ) -> list[dict[str, Any]]:
        """Calls of the signature that scores given tokens, from those of the main signatures."""
        raise NotImplementedError


class SourceInput(GenerationInput[S, P, M, E]):
    """The input of a model that has a source beside the text that it writes."""

    def teacher_forced(self, fitted: Fitted[S, P, M], columns: Features) -> Tensors:
        """Converts a source and `target_ids` to the inputs of the model in training."""
        raise NotImplementedError

    def scored_sources(self, fitted: Fitted[S, P, M]) -> dict[str, TensorSpec]:
        """Spec of each feature of a source beside `target_ids`, as `teacher_forced` takes them."""
        raise NotImplementedError

    def map_axes(self, fitted: Fitted[S, P, M]) -> dict[str, Axes]:
        """Axes of the attention maps of each part."""
        raise NotImplementedError

    def targets(self, settings: S, preprocessor: P) -> TextPreprocessor:
        """The preprocessor of target texts."""
        tokenizer = self.writer(preprocessor).tokenizer
        start, length = tokenizer.special_tokens.starts, self.max_new_tokens(settings)
        return TextPreprocessor(tokenizer, length, start=start, what="targets")
