"""Source texts as the input of an encoder-decoder, with one vocabulary for sources and targets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from zoo.attention_map import AttentionMap
from zoo.data.examples import ExampleRow, TextExamples
from zoo.data.readers.input_columns import InputColumns
from zoo.data_statistics import counted
from zoo.errors import UserError
from zoo.heads.head import Reader
from zoo.models.attending import CROSS, DECODER, ENCODER
from zoo.models.options import has_option
from zoo.preprocessing.base import BATCH, LENGTH, Features, TensorSpec
from zoo.preprocessing.model_inputs import source_inputs, teacher_forcing
from zoo.preprocessing.text import TextPreprocessor
from zoo.serving.inference import Tensors
from zoo.tasks.attending import labeled_maps
from zoo.tasks.inputs.raw_texts import RawTexts
from zoo.tasks.inputs.sources import Axes, target_preprocessor
from zoo.tasks.inputs.vocabulary import TokenInput, Vocabulary
from zoo.tasks.options.common import CASED_WORDS, TOKENIZERS, TaskSettings
from zoo.tasks.parts import Fitted, Input
from zoo.text.tokenizer import Tokenizer

S = TypeVar("S", bound=TaskSettings)
E = TypeVar("E", bound=TextExamples)


@dataclass(frozen=True)
class TextSourceInput(
    TokenInput[S, TextPreprocessor, E], Input[S, TextPreprocessor, E], Generic[S, E]
):
    """Source texts; a `SourceInput`.

    Args:
        task: Name of the task.
        source_length: Function from settings to the maximum number of tokens of a source.
        target_length: Function from settings to that of a target.
        texts: The raw inputs.
        positions: Function from settings to the number of positions of the model; None for the
            default of the model.
    """

    source_length: Callable[[S], int]
    target_length: Callable[[S], int]
    texts: RawTexts[S, E] = field(default_factory=RawTexts)
    positions: Callable[[S], int] | None = None

    @property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self.task, (*TOKENIZERS, CASED_WORDS))

    def check(self, settings: S) -> None:
        super().check(settings)
        self.texts.check(settings)

    def sample(self, examples: E, count: int) -> dict[str, list[Any]]:
        return self.texts.sample(examples, count)

    def first_rows(self, examples: E, count: int) -> list[ExampleRow]:
        return self.texts.first_rows(examples, count)

    def with_tokenizer(self, tokenizer: Tokenizer, settings: S) -> TextPreprocessor:
        start, length = tokenizer.special_tokens.starts, self.source_length(settings)
        return TextPreprocessor(tokenizer, length, start=start, what="sources")

    def writer(self, preprocessor: TextPreprocessor) -> TextPreprocessor:
        return preprocessor

    def sizes(self, settings: S, preprocessor: TextPreprocessor) -> dict[str, Any]:
        size = preprocessor.tokenizer.vocabulary_size
        names: tuple[str, ...] = ("vocabulary_size",)
        if not has_option(settings.model, "vocabulary_size"):
            names = ("source_vocabulary_size", "target_vocabulary_size")
        sizes = dict.fromkeys(names, size)
        if self.positions is not None and has_option(settings.model, "max_sequence_length"):
            sizes["max_sequence_length"] = self.positions(settings)
        return sizes

    def raw(
        self, data: Any, settings: S, preprocessor: TextPreprocessor
    ) -> dict[str, Sequence[Any]]:
        return self.texts.raw(data, settings)

    def table_columns(self, settings: S) -> InputColumns:
        return InputColumns(self.texts.roles(settings))

    # --- What the model reads ---

    def max_new_tokens(self, settings: S) -> int:
        return self.target_length(settings)

    def reader(self, fitted: Fitted[S, TextPreprocessor]) -> Reader:
        preprocessor, limit = fitted.preprocessor, fitted.model.max_sequence_length
        special = preprocessor.tokenizer.special_tokens

        def prepare(features: Features) -> Tensors:
            return source_inputs(features["token_ids"], special, limit)

        return Reader(preprocessor.feature_signature, preprocessor.features, prepare)

    def teacher_forced(self, fitted: Fitted[S, TextPreprocessor], columns: Features) -> Tensors:
        special, limit = _special(fitted), fitted.model.max_sequence_length
        return teacher_forcing(columns["source_ids"], columns["target_ids"], special, limit)

    def scored_sources(self, fitted: Fitted[S, TextPreprocessor]) -> dict[str, TensorSpec]:
        preprocessor, pad = fitted.preprocessor, _special(fitted).pad
        values = preprocessor.features["token_ids"].values
        shape = (BATCH, "source_length")
        return {"source_ids": TensorSpec(shape, "int32", pad, preprocessor.meaning, values)}

    def length(self, fitted: Fitted[S, TextPreprocessor], features: Mapping[str, Any]) -> int:
        return longest_row(features["token_ids"], _special(fitted).pad)

    def longest(self, fitted: Fitted[S, TextPreprocessor], options: Mapping[str, Any]) -> int:
        return fitted.preprocessor.max_length

    def features_of(self, fitted: Fitted[S, TextPreprocessor], source: Any) -> Features:
        return {"token_ids": np.asarray(source, "int32")}

    def targets(self, settings: S, preprocessor: TextPreprocessor) -> TextPreprocessor:
        return target_preprocessor(preprocessor.tokenizer, self.target_length(settings))

    def check_length(
        self, fitted: Fitted[S, TextPreprocessor], tokens: int, new_tokens: int
    ) -> None:
        model, limit = fitted.model, fitted.model.max_sequence_length
        if limit is not None and model.positions_of(tokens, new_tokens) > limit:
            raise UserError(
                f"sources of {counted(tokens, 'tokens')} and targets of "
                f"{counted(new_tokens, 'tokens')} exceed the {limit} positions of the model: "
                "increase its max_sequence_length"
            )

    def check_model(self, fitted: Fitted[S, TextPreprocessor]) -> None:
        settings = fitted.settings
        self.check_length(fitted, self.source_length(settings), self.target_length(settings))

    def score_calls(
        self, fitted: Fitted[S, TextPreprocessor], calls: Mapping[str, list[dict[str, Any]]]
    ) -> list[dict[str, Any]]:
        length = self.target_length(fitted.settings)
        every = (call["token_ids"] for call in calls[fitted.preprocessor.feature_signature])
        return [{"source_ids": ids, "target_ids": ids[:, :length]} for ids in every]

    # --- What it shows ---

    def map_axes(self, fitted: Fitted[S, TextPreprocessor]) -> dict[str, Axes]:
        return {
            ENCODER: (BATCH, None, LENGTH, LENGTH),
            DECODER: (BATCH, None, None, None),
            CROSS: (BATCH, None, None, LENGTH),
        }

    def attention_maps(
        self, settings: S, preprocessor: TextPreprocessor, features: Features, outputs: Tensors
    ) -> dict[str, list[AttentionMap]]:
        pieces, special = preprocessor.pieces, preprocessor.tokenizer.special_tokens
        source, written = pieces(features["token_ids"][0]), pieces(outputs["token_ids"][0])
        read = [*pieces([special.first_read]), *written][: len(written)]
        tokens = {ENCODER: (source, source), DECODER: (written, read), CROSS: (written, source)}
        return labeled_maps(outputs, tokens)


def longest_row(token_ids: Any, pad: int) -> int:
    """The largest number of ids of a row (B, T) that are no padding."""
    written = np.not_equal(token_ids, pad)
    return int(written.sum(axis=1).max(initial=0))


def _special(fitted: Fitted[Any, TextPreprocessor]) -> Any:
    return fitted.preprocessor.tokenizer.special_tokens
