"""Texts as the input of an encoder, up to a number of tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import keras

from zoo.attention_map import AttentionMap
from zoo.data.examples import TextExamples
from zoo.data.readers.encodings import is_valid
from zoo.errors import UserError
from zoo.heads.head import Reader
from zoo.models.attending import ENCODER
from zoo.models.create import model_class
from zoo.models.options import has_option
from zoo.preprocessing.base import Features
from zoo.preprocessing.model_inputs import Tensors, encoder_inputs
from zoo.preprocessing.text import TEXT, TokenPreprocessor
from zoo.serving.inference import Inference
from zoo.tasks.attending import labeled_maps, self_attention
from zoo.tasks.documents import document_attention, document_maps
from zoo.tasks.inputs.vocabulary import Vocabulary, vocabulary_files
from zoo.tasks.options.common import TOKENIZERS, WORDS, TaskSettings
from zoo.tasks.parts import Fitted, Input, Learned, Pretrained
from zoo.text import load_tokenizer
from zoo.text.tokenizer import Tokenizer

S = TypeVar("S", bound=TaskSettings)
P = TypeVar("P", bound=TokenPreprocessor)
M = TypeVar("M", bound=keras.Model)
E = TypeVar("E", bound=TextExamples)

KNOWN = (*TOKENIZERS, WORDS)  # tokenizers that are trained for encoders


@dataclass(frozen=True)
class EncoderInput(Input[S, P, M, E], Generic[S, P, M, E]):
    """Texts, or what a task makes of them, as the token ids of an encoder.

    Args:
        task: Name of the task.
    """

    task: str

    @property
    def vocabulary(self) -> Vocabulary:
        """How the task comes to its tokenizer."""
        return Vocabulary(self.task, KNOWN)

    def check(self, settings: S) -> None:
        self.vocabulary.check(settings)

    def learn(
        self,
        examples: E,
        settings: S,
        model_options: Mapping[str, Any],
        pretrained: Pretrained | None,
    ) -> Learned[S, P]:
        learned = self.vocabulary.learn(examples, settings, model_options, pretrained)
        preprocessor = self.make(learned.tokenizer, settings)
        more = learned.model_options, learned.initialize, learned.notes
        return Learned(settings, preprocessor, *more)

    def load(self, folder: Path, settings: S) -> P:
        return self.make(load_tokenizer(folder / TokenPreprocessor.subfolder), settings)

    def with_tokenizer(self, tokenizer: Tokenizer, settings: S) -> P:
        return self.make(tokenizer, settings)

    def make(self, tokenizer: Tokenizer, settings: S) -> P:
        """The preprocessor with a tokenizer."""
        raise NotImplementedError

    def sizes(self, settings: S, preprocessor: P) -> dict[str, Any]:
        sizes = {"vocabulary_size": preprocessor.tokenizer.vocabulary_size}
        if has_option(settings.model, "max_sequence_length"):  # it has position embeddings
            sizes["max_sequence_length"] = preprocessor.max_length
        return sizes

    def raw(self, data: Any, settings: S, preprocessor: P) -> dict[str, Sequence[Any]]:
        return {TEXT: listed(data)}

    def prepare(self, fitted: Fitted[S, P, M], features: Features) -> Tensors:
        """Converts features to the inputs of the model, in TensorFlow operators."""
        limit = getattr(fitted.model, "max_sequence_length", None)
        special = fitted.preprocessor.tokenizer.special_tokens
        segments = reads_segments(fitted.settings)
        return encoder_inputs(features["token_ids"], special, limit, segments=segments)

    def reader(self, fitted: Fitted[S, P, M]) -> Reader:
        preprocessor = fitted.preprocessor
        name, features = preprocessor.feature_signature, preprocessor.features
        return Reader(name, features, lambda each: self.prepare(fitted, each))

    def attention(self, fitted: Fitted[S, P, M], head: Any) -> dict[str, Inference]:
        maps = document_attention if reads_sentences(fitted.settings, self.task) else self_attention
        features = fitted.preprocessor.features
        return maps(fitted.model, features, lambda each: self.prepare(fitted, each))

    def attention_maps(
        self, settings: S, preprocessor: P, features: Features, outputs: Tensors
    ) -> dict[str, list[AttentionMap]]:
        ids = features["token_ids"][0]
        if reads_sentences(settings, self.task):
            return document_maps(ids, outputs, preprocessor.pieces)
        pieces = preprocessor.pieces(ids)
        return labeled_maps(outputs, {ENCODER: (pieces, pieces)})

    def assets(self, preprocessor: TokenPreprocessor) -> dict[str, str]:
        return vocabulary_files(preprocessor.tokenizer)

    def config(self, preprocessor: P) -> dict[str, Any]:
        return {"vocabulary_size": preprocessor.tokenizer.vocabulary_size}


def reads_segments(settings: TaskSettings) -> bool:
    """Whether the model expects a start token and segments, like BERT."""
    return has_option(settings.model, "num_segments")


def reads_sentences(settings: TaskSettings, task: str) -> bool:
    """Whether the model expects documents of sentences, like HAN."""
    return getattr(model_class(settings.model, task), "reads_sentences", False)


def listed(texts: Any) -> Any:
    """Returns the texts, which must be a list.

    Raises:
        UserError: If a text is not Unicode.
        ValueError: If it is a single string, whose characters would be taken for texts.
    """
    if isinstance(texts, str):
        raise ValueError("texts must be a list of strings; received a single string.")
    for number, text in enumerate(texts, 1):
        for part in [text] if isinstance(text, str) else text:
            if not is_valid(part):
                raise UserError(
                    f"text {number} has half of a surrogate pair, which is no character"
                )
    return texts
