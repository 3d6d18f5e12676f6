"""The vocabulary of a task on texts: trained, of a checkpoint, or of prepared data."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import keras
import numpy as np

from zoo.data.examples import TextExamples
from zoo.data.readers.word_vectors import WordVectors, vectors_of_words
from zoo.errors import UserError
from zoo.lines import VOCABULARY, to_lines
from zoo.models.options import has_option
from zoo.option_names import option_name
from zoo.preprocessing.text import TokenPreprocessor
from zoo.registry import MODELS
from zoo.tasks.options.common import (
    OF_CHECKPOINTS,
    TOKENIZERS,
    WORDS,
    MaskedTextSettings,
    TaskSettings,
    TextSettings,
    WordVectorSettings,
)
from zoo.tasks.options.encoded_texts import EncodedTextSettings
from zoo.tasks.parts import Learned, Start
from zoo.text import load_tokenizer, train_tokenizer
from zoo.text.special_tokens import MASK
from zoo.text.tokenizer import FILE_NAME, Tokenizer
from zoo.text.wordpiece import WordPieceTokenizer

S = TypeVar("S", bound=TaskSettings)
P = TypeVar("P", bound=TokenPreprocessor)
E = TypeVar("E", bound=TextExamples)
WIDTHS = ("embedding_dim", "embedding_size")  # options of models with embeddings of any width


@dataclass(frozen=True)
class LearnedTokenizer:
    """A tokenizer, and what belongs to its embeddings; see `zoo.tasks.parts.fitted.Learned`."""

    tokenizer: Tokenizer
    model_options: Mapping[str, Any] = field(default_factory=dict)
    initialize: Callable[[keras.Model], None] | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Vocabulary:
    """How a task comes to its tokenizer.

    Args:
        task: Name of the task.
        kinds: The tokenizers that can be trained.
    """

    task: str
    kinds: tuple[str, ...] = TOKENIZERS

    def check(self, settings: TaskSettings) -> None:
        """Raises a `UserError` if there is no such tokenizer, or the model takes no vectors."""
        if isinstance(settings, TextSettings | EncodedTextSettings):
            kind = settings.tokenizer
            if kind not in (*self.kinds, *OF_CHECKPOINTS):
                known = ", ".join(self.kinds)
                raise UserError(f"unknown tokenizer {kind!r}; choose from {known}")
        if _vectors_of(settings) is not None:
            check_embeddings(settings.model, self.task)

    def learn(
        self, examples: TextExamples, settings: TaskSettings, start: Start
    ) -> LearnedTokenizer:
        """The tokenizer of a checkpoint, or of prepared data, or else one trained on the texts."""
        path, prepared, pretrained = _vectors_of(settings), examples.tokenizer, start.pretrained
        if pretrained is not None:
            if path is not None:
                raise UserError("embeddings cannot be combined with a pretrained model")
            if prepared is not None and prepared.facts() != pretrained.tokenizer.facts():
                raise UserError(
                    f"{examples.path} has another vocabulary than the pretrained model: prepare "
                    f"the data with the same {option_name('pretrained')}"
                )
            return LearnedTokenizer(pretrained.tokenizer)
        tokenizer = prepared or trained(settings, examples.every_text())
        if path is None:
            return LearnedTokenizer(tokenizer)
        options = dict(start.model_options)
        vectors = vectors_for(path, tokenizer, width_option(settings.model), options)
        notes = (f"embeddings: {vectors}",)
        return LearnedTokenizer(
            tokenizer, options, lambda model: load_vectors(model, vectors), notes
        )


@dataclass(frozen=True)
class TokenInput(Generic[S, P, E]):
    """What inputs share whose preprocessor has a tokenizer, and nothing else that is learned.

    Args:
        task: Name of the task.
    """

    task: str

    @property
    def vocabulary(self) -> Vocabulary:
        """How the task comes to its tokenizer."""
        return Vocabulary(self.task)

    def check(self, settings: S) -> None:
        self.vocabulary.check(settings)

    def with_tokenizer(self, tokenizer: Tokenizer, settings: S) -> P:
        """The preprocessor with a tokenizer."""
        raise NotImplementedError

    def learn(self, examples: E, settings: S, start: Start) -> Learned[S, P]:
        learned = self.vocabulary.learn(examples, settings, start)
        preprocessor = self.with_tokenizer(learned.tokenizer, settings)
        more = learned.model_options, learned.initialize, learned.notes
        return Learned(settings, preprocessor, *more)

    def load(self, folder: Path, settings: S) -> P:
        return self.with_tokenizer(load_tokenizer(folder / TokenPreprocessor.subfolder), settings)

    def assets(self, preprocessor: P) -> dict[str, str]:
        return vocabulary_files(preprocessor.tokenizer)

    def config(self, preprocessor: P) -> dict[str, Any]:
        return {"vocabulary_size": preprocessor.tokenizer.vocabulary_size}


def trained(settings: TaskSettings, texts: Iterable[str]) -> Tokenizer:
    """Trains the tokenizer that settings name; for masked texts, a WordPiece one with a mask."""
    if isinstance(settings, MaskedTextSettings):
        return WordPieceTokenizer.train(texts, settings.vocabulary_size, always=[MASK])
    assert isinstance(settings, TextSettings | EncodedTextSettings)
    return train_tokenizer(settings.tokenizer, texts, settings.vocabulary_size)


def vocabulary_files(tokenizer: Tokenizer) -> dict[str, str]:
    """The files of a tokenizer that belong beside an artifact: their content by name."""
    return {FILE_NAME: tokenizer.to_json(), VOCABULARY: to_lines(tokenizer.vocabulary)}


def _vectors_of(settings: TaskSettings) -> str | None:
    """The file of word vectors to start from, in tasks that have the setting."""
    return settings.embeddings if isinstance(settings, WordVectorSettings) else None


def check_embeddings(model: str, task: str) -> None:
    """Raises a `UserError` if the model of a task cannot take word vectors."""
    if width_option(model) is None:
        able = [
            row.name
            for row in MODELS.values()
            if task in row.tasks and width_option(row.name) is not None
        ]
        choices = f"; choose from {', '.join(able)}" if able else ""
        raise UserError(f"{model} does not take word vectors as embeddings{choices}")


def width_option(model: str) -> str | None:
    """The option of a model for the width of its embeddings; None if that is no option."""
    return next((name for name in WIDTHS if has_option(model, name)), None)


def vectors_for(
    path: str, tokenizer: Tokenizer, width: str | None, options: dict[str, Any]
) -> WordVectors:
    """Reads the vectors of a vocabulary, and sets the width of the model's embeddings.

    Args:
        path: The file.
        tokenizer: The tokenizer.
        width: The option of the model for the width of its embeddings.
        options: Options of the model.

    Raises:
        UserError: If that option is another width than that of the vectors.
    """
    vectors = vectors_of_words(path, tokenizer.words)
    assert width is not None  # as `check_embeddings` has made sure
    if options.setdefault(width, vectors.dim) != vectors.dim:
        raise UserError(
            f"{path} has vectors of {vectors.dim} numbers, and {width} is {options[width]}"
        )
    return vectors


def load_vectors(model: keras.Model, vectors: WordVectors) -> None:
    """Sets the embeddings of the words that a file has.

    Those of all other tokens stay random, with the standard deviation of the vectors; or else the
    vectors get that of the embeddings, see `ZooModel.scales_word_vectors`.
    """
    for layer in model.word_embeddings:
        table = np.array(layer.embeddings)
        ratio = float(vectors.vectors.std()) / max(float(table.std()), 1e-12)
        if model.scales_word_vectors:
            table[vectors.rows] = vectors.vectors / max(ratio, 1e-12)
        else:
            table *= ratio
            table[vectors.rows] = vectors.vectors
        layer.embeddings.assign(table)


class TokenizerChoice(Generic[S, E]):
    """The tokenizer that settings name, whatever the training data."""

    kinds: tuple[str, ...] = (*TOKENIZERS, WORDS)  # that settings may name

    def choose(self, examples: E, settings: S) -> tuple[S, tuple[str, ...]]:
        """The settings with a tokenizer that can be trained, and lines for the log."""
        return settings, ()

    def model_options(self, tokenizer: Tokenizer, settings: S, start: Start) -> dict[str, Any]:
        """The options of the model that its texts decide, unless they are given."""
        return {}
