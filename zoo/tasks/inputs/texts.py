"""Texts as the input of an encoder, up to a number of tokens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from zoo.attention_map import AttentionMap
from zoo.data.examples import ExampleRow, TextExamples
from zoo.data.readers.input_columns import InputColumns
from zoo.heads.head import Reader
from zoo.models.attending import ENCODER
from zoo.models.options import has_option, model_row
from zoo.preprocessing.base import Features
from zoo.preprocessing.model_inputs import Tensors, encoder_inputs
from zoo.preprocessing.text import TextPreprocessor, TokenPreprocessor
from zoo.serving.inference import Inference
from zoo.tasks.attending import PURPOSE, labeled_maps, self_attention
from zoo.tasks.documents import document_attention, document_maps
from zoo.tasks.inputs.raw_texts import RawTexts
from zoo.tasks.inputs.vocabulary import TokenInput, TokenizerChoice, Vocabulary
from zoo.tasks.options import masked_lm, multi_task, text_embedder
from zoo.tasks.options.common import TaskSettings
from zoo.tasks.parts import AnyFitted, Fitted, Input, Learned, Start
from zoo.text.tokenizer import Tokenizer

S = TypeVar("S", bound=TaskSettings)
P = TypeVar("P", bound=TokenPreprocessor)
E = TypeVar("E", bound=TextExamples)


class TokenReading:
    """How an encoder reads token ids, and shows its attention."""

    def prepare(self, fitted: AnyFitted, features: Features) -> Tensors:
        """Converts features to the inputs of the model, in TensorFlow operators."""
        limit = fitted.model.max_sequence_length
        special = fitted.preprocessor.tokenizer.special_tokens
        segments = reads_segments(fitted.settings)
        return encoder_inputs(features["token_ids"], special, limit, segments=segments)

    def attention(self, fitted: AnyFitted) -> dict[str, Inference]:
        """The inference that shows attention; see `Input`."""
        maps = document_attention if reads_sentences(fitted.settings) else self_attention
        features = fitted.preprocessor.features
        return maps(fitted.model, features, lambda each: self.prepare(fitted, each))

    def attention_maps(
        self, fitted: Learned[Any, Any], features: Features, outputs: Tensors
    ) -> dict[str, list[AttentionMap]]:
        """The maps of one input; see `Input`."""
        ids, pieces_of = features["token_ids"][0], fitted.preprocessor.pieces
        if reads_sentences(fitted.settings):
            return document_maps(ids, outputs, pieces_of)
        pieces = pieces_of(ids)
        return labeled_maps(outputs, {ENCODER: (pieces, pieces)})


@dataclass(frozen=True)
class EncoderInput(TokenInput[S, P, E], Input[S, P, E], Generic[S, P, E]):
    """Texts, or what a task makes of them, as the token ids of an encoder.

    Args:
        task: Name of the task.
        make: Function from a tokenizer and settings to the preprocessor.
        texts: The raw inputs.
        choice: The tokenizers that can be trained.
        reading: How the model reads token ids.
        attention_purpose: What the signature that shows attention does.
    """

    make: Callable[[Tokenizer, S], P]
    texts: RawTexts[S, E] = field(default_factory=RawTexts)
    choice: TokenizerChoice[S, E] = field(default_factory=TokenizerChoice)
    reading: TokenReading = field(default_factory=TokenReading)
    attention_purpose: str = PURPOSE

    @property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self.task, self.choice.kinds)

    def check(self, settings: S) -> None:
        super().check(settings)
        self.texts.check(settings)

    def row(self, settings: S) -> str:
        return self.texts.row(settings)

    def learn(self, examples: E, settings: S, start: Start) -> Learned[S, P]:
        settings, notes = self.choice.choose(examples, settings)
        learned = super().learn(examples, settings, start)
        tokenizer = learned.preprocessor.tokenizer
        more = self.choice.model_options(tokenizer, settings, start)
        return replace(
            learned,
            model_options={**learned.model_options, **more},
            notes=(*notes, *learned.notes),
        )

    def check_examples(self, examples: E, settings: S, preprocessor: P) -> None:
        self.texts.check_examples(examples, settings)

    def with_tokenizer(self, tokenizer: Tokenizer, settings: S) -> P:
        return self.make(tokenizer, settings)

    def sample(self, examples: E, count: int) -> dict[str, list[Any]]:
        return self.texts.sample(examples, count)

    def first_rows(self, examples: E, count: int) -> list[ExampleRow]:
        return self.texts.first_rows(examples, count)

    def sizes(self, settings: S, preprocessor: P) -> dict[str, Any]:
        sizes = {"vocabulary_size": preprocessor.tokenizer.vocabulary_size}
        if has_option(settings.model, "max_sequence_length"):  # it has position embeddings
            sizes["max_sequence_length"] = preprocessor.max_length
        return sizes

    def raw(self, data: Any, settings: S, preprocessor: P) -> dict[str, Sequence[Any]]:
        return self.texts.raw(data, settings)

    def table_columns(self, settings: S) -> InputColumns:
        return InputColumns(self.texts.roles(settings))

    def prepare(self, fitted: Fitted[S, P], features: Features) -> Tensors:
        """Converts features to the inputs of the model, in TensorFlow operators."""
        return self.reading.prepare(fitted, features)

    def reader(self, fitted: Fitted[S, P]) -> Reader:
        preprocessor = fitted.preprocessor
        name, features = preprocessor.feature_signature, preprocessor.features
        return Reader(name, features, lambda each: self.prepare(fitted, each))

    def attention(self, fitted: Fitted[S, P], head: Any) -> dict[str, Inference]:
        return self.reading.attention(fitted)

    def attention_maps(
        self, settings: S, preprocessor: P, features: Features, outputs: Tensors
    ) -> dict[str, list[AttentionMap]]:
        learned = Learned(settings, preprocessor)
        return self.reading.attention_maps(learned, features, outputs)


def reads_segments(settings: TaskSettings) -> bool:
    """Whether the model expects a start token and segments, like BERT."""
    return has_option(settings.model, "num_segments")


def reads_sentences(settings: TaskSettings) -> bool:
    """Whether the model expects documents of sentences, like HAN."""
    return model_row(settings.model).reads_sentences


def whole_texts(
    tokenizer: Tokenizer,
    settings: masked_lm.Settings | multi_task.Settings | text_embedder.Settings,
) -> TextPreprocessor:
    """The preprocessor of single texts, up to `max_length` tokens."""
    return TextPreprocessor(tokenizer, settings.max_length, start=reads_segments(settings))
