"""Prompts as the input of a language model, which continues them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zoo.attention_map import AttentionMap
from zoo.data.examples import ExampleRow
from zoo.data.readers.input_columns import InputColumns
from zoo.data.readers.roles import DOCUMENT
from zoo.data_statistics import counted, warn_once
from zoo.errors import UserError
from zoo.heads.head import Reader
from zoo.models.attending import DECODER
from zoo.models.options import has_option
from zoo.option_names import option_name
from zoo.preprocessing.base import Features
from zoo.preprocessing.prompts import PromptPreprocessor
from zoo.preprocessing.text import TEXT
from zoo.serving.inference import Tensors
from zoo.tasks.attending import labeled_maps
from zoo.tasks.formats.documents import DocumentExamples
from zoo.tasks.inputs.raw_texts import listed
from zoo.tasks.inputs.text_sources import longest_row
from zoo.tasks.inputs.vocabulary import TokenInput
from zoo.tasks.options.causal_lm import Settings
from zoo.tasks.parts import Fitted, Input
from zoo.text.tokenizer import Tokenizer

NEW_TOKENS = 64  # default maximum number of generated tokens, if max_length allows it

FittedPrompts = Fitted[Settings, PromptPreprocessor]


@dataclass(frozen=True)
class PromptInput(
    TokenInput[Settings, PromptPreprocessor, DocumentExamples],
    Input[Settings, PromptPreprocessor, DocumentExamples],
):
    """Prompts, which leave room for the tokens to generate; a `GenerationInput`."""

    is_continued = True

    def check(self, settings: Settings) -> None:
        super().check(settings)
        _prompt_length(settings, self.max_new_tokens(settings))

    def with_tokenizer(self, tokenizer: Tokenizer, settings: Settings) -> PromptPreprocessor:
        length = _prompt_length(settings, self.max_new_tokens(settings))
        return PromptPreprocessor(tokenizer, length)

    def preprocessor_with(
        self, fitted: FittedPrompts, options: Mapping[str, Any]
    ) -> PromptPreprocessor:
        new_tokens = options.get("max_new_tokens")
        if fitted.model.max_sequence_length is None or new_tokens is None:
            return fitted.preprocessor  # the prompt's limit does not depend on it
        length = _prompt_length(fitted.settings, new_tokens)
        return PromptPreprocessor(fitted.preprocessor.tokenizer, length)

    def writer(self, preprocessor: PromptPreprocessor) -> PromptPreprocessor:
        return preprocessor

    def sizes(self, settings: Settings, preprocessor: PromptPreprocessor) -> dict[str, Any]:
        sizes = {"vocabulary_size": preprocessor.tokenizer.vocabulary_size}
        if has_option(settings.model, "max_sequence_length"):  # it has position embeddings
            sizes["max_sequence_length"] = settings.max_length
        return sizes

    def sample(self, examples: DocumentExamples, count: int) -> dict[str, list[Any]]:
        if examples.is_prepared:
            return examples.sample(count)
        return {TEXT: examples.half_lines(count)}

    def first_rows(self, examples: DocumentExamples, count: int) -> list[ExampleRow]:
        return [ExampleRow(text, text, None) for text in examples.half_lines(count)]

    def table_columns(self, settings: Settings) -> InputColumns:
        return InputColumns(DOCUMENT)

    def raw(
        self, data: Any, settings: Settings, preprocessor: PromptPreprocessor
    ) -> dict[str, Sequence[Any]]:
        prompts = listed(data)
        _warn_of_marks(prompts, preprocessor.tokenizer)
        return {TEXT: prompts}

    # --- What the model reads ---

    def max_new_tokens(self, settings: Settings) -> int:
        given = settings.max_new_tokens
        return min(NEW_TOKENS, settings.max_length // 2) if given is None else given

    def reader(self, fitted: FittedPrompts) -> Reader:
        preprocessor, limit = fitted.preprocessor, fitted.model.max_sequence_length

        def prepare(features: Features) -> Tensors:
            # Columns beyond the limit can only be padding.
            return {"token_ids": features["token_ids"][:, :limit]}

        return Reader(preprocessor.feature_signature, preprocessor.features, prepare)

    def length(self, fitted: FittedPrompts, features: Mapping[str, Any]) -> int:
        pad = fitted.preprocessor.tokenizer.special_tokens.pad
        return longest_row(features["token_ids"], pad)

    def longest(self, fitted: FittedPrompts, options: Mapping[str, Any]) -> int:
        return self.preprocessor_with(fitted, options).max_length

    def features_of(self, fitted: FittedPrompts, source: Any) -> Features:
        return {"token_ids": np.asarray(source, "int32")}

    def check_length(self, fitted: FittedPrompts, tokens: int, new_tokens: int) -> None:
        limit = fitted.model.max_sequence_length
        if limit is not None and tokens + new_tokens - 1 > limit:
            raise UserError(
                f"a prompt of {counted(tokens, 'tokens')} and {counted(new_tokens, 'new tokens')} "
                f"exceed the maximum of {limit} tokens of the model: use a shorter prompt, "
                "or generate fewer tokens"
            )

    def score_calls(
        self, fitted: FittedPrompts, calls: Mapping[str, list[dict[str, Any]]]
    ) -> list[dict[str, Any]]:
        every = (call["token_ids"] for call in calls[fitted.preprocessor.feature_signature])
        return [{"token_ids": np.pad(ids, ((0, 0), (0, 1)), "edge")} for ids in every]

    # --- What it shows ---

    def attention_maps(
        self,
        settings: Settings,
        preprocessor: PromptPreprocessor,
        features: Features,
        outputs: Tensors,
    ) -> dict[str, list[AttentionMap]]:
        pieces = preprocessor.pieces(features["token_ids"][0])
        return labeled_maps(outputs, {DECODER: (pieces, pieces)})


def _warn_of_marks(prompts: Sequence[Any], tokenizer: Tokenizer) -> None:
    """Warns of special tokens in prompts, which are read as the characters that they are."""
    for mark in (tokenizer.vocabulary[i] for i in tokenizer.marked):
        if any(mark in prompt for prompt in prompts):
            warn_once(
                f"a prompt contains {mark}, which is read as plain text: chats are given as "
                "messages, to reply or to predict --chat"
            )


def _prompt_length(settings: Settings, max_new_tokens: int) -> int:
    """Maximum number of tokens of a prompt.

    Raises:
        UserError: If the new tokens leave no room for one.
    """
    length = settings.max_length
    if max_new_tokens >= length:
        name, limit = option_name("max_new_tokens"), option_name("max_length")
        raise UserError(f"{name} must be below {limit}, {length}; got {max_new_tokens}")
    return length - max_new_tokens
