"""Base class of the tasks on text, which have a tokenizer."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from zoo.data.readers.encodings import is_valid
from zoo.data.readers.word_vectors import WordVectors
from zoo.errors import UserError
from zoo.lines import VOCABULARY, to_lines
from zoo.models.create import model_class
from zoo.models.options import has_option
from zoo.preprocessing.base import Preprocessor
from zoo.preprocessing.text import TEXT
from zoo.tasks.folder import TOKENIZER
from zoo.tasks.options.common import OF_CHECKPOINTS, TOKENIZERS, TaskSettings, TextSettings
from zoo.tasks.undivided import UndividedTask
from zoo.tasks.word_embeddings import check_embeddings, load_vectors, vectors_for
from zoo.text import load_tokenizer, train_tokenizer
from zoo.text.special_tokens import SpecialTokens
from zoo.text.tokenizer import FILE_NAME as TOKENIZER_FILE
from zoo.text.tokenizer import Tokenizer


class TextTask(UndividedTask):
    """A task whose raw inputs are texts.

    A subclass implements `texts`, the texts to train the tokenizer on, and `preprocessor_for`, the
    preprocessor with a given tokenizer.
    """

    Settings: ClassVar[type[TaskSettings]] = TextSettings
    tokenizers: ClassVar[tuple[str, ...]] = TOKENIZERS  # the trainable tokenizers of the task
    _vectors: WordVectors | None = None

    def check_settings(self) -> None:
        kind = getattr(self.settings, "tokenizer", TOKENIZERS[0])
        if kind not in (*self.tokenizers, *OF_CHECKPOINTS):
            known = ", ".join(self.tokenizers)
            raise UserError(f"unknown tokenizer {kind!r}; choose from {known}")
        if self.embeddings is not None:
            check_embeddings(self.settings.model, self.name)

    @property
    def embeddings(self) -> str | None:
        """The file of word vectors to start from, in tasks that have the setting."""
        return getattr(self.settings, "embeddings", None)

    def texts(self, examples: Any) -> Iterable[str]:
        """The texts to train a tokenizer on."""
        raise NotImplementedError

    def preprocessor_for(self, tokenizer: Tokenizer) -> Preprocessor:
        """Creates the preprocessor with a tokenizer."""
        raise NotImplementedError

    def train_tokenizer(self, texts: Iterable[str]) -> Tokenizer:
        """Trains a tokenizer on texts."""
        return train_tokenizer(self.settings.tokenizer, texts, self.settings.vocabulary_size)

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer."""
        return self.preprocessor.tokenizer

    @property
    def special_tokens(self) -> SpecialTokens:
        """The special tokens of the vocabulary."""
        return self.tokenizer.special_tokens

    def use_tokenizer(self, tokenizer: Tokenizer) -> None:
        """Builds the model for an existing tokenizer."""
        self.build(self.preprocessor_for(tokenizer))

    def set_tokenizer(self, tokenizer: Tokenizer) -> None:
        """Sets the preprocessor for an existing tokenizer, without a model."""
        self._preprocessor = self.preprocessor_for(tokenizer)

    def learn(self, examples: Any) -> Preprocessor:
        if self.pretrained is not None:
            if self.embeddings is not None:
                raise UserError("embeddings cannot be combined with a pretrained model")
            return self.preprocessor_for(self.pretrained.tokenizer)
        tokenizer = self.train_tokenizer(self.texts(examples))
        if self.embeddings is not None:
            self._vectors = vectors_for(self.embeddings, tokenizer, self.model_options)
            self.origin = [f"embeddings: {self._vectors}"]
        return self.preprocessor_for(tokenizer)

    def adapt_model(self, examples: Any) -> None:
        if self._vectors is not None:
            load_vectors(self.model, self._vectors)
            self._vectors = None  # they are in the model now

    def save_preprocessor(self, folder: Path) -> None:
        self.tokenizer.save(folder / TOKENIZER)

    def assets(self) -> dict[str, str]:
        tokens = to_lines(self.tokenizer.vocabulary)
        own = {TOKENIZER_FILE: self.tokenizer.to_json(), VOCABULARY: tokens}
        return {**super().assets(), **own}

    def load_preprocessor(self, folder: Path) -> Preprocessor:
        return self.preprocessor_for(load_tokenizer(folder / TOKENIZER))

    def same_preprocessor(self, folder: Path) -> bool:
        """Whether a run folder has the same vocabulary."""
        path = folder / TOKENIZER
        return not path.exists() or load_tokenizer(path).facts() == self.tokenizer.facts()

    @property
    def config(self) -> dict[str, Any]:
        return {**super().config, "vocabulary_size": self.tokenizer.vocabulary_size}

    def model_sizes(self) -> dict[str, Any]:
        return {"vocabulary_size": self.tokenizer.vocabulary_size}

    def positions(self, count: int) -> dict[str, int]:
        """The option for the number of positions, if the model has position embeddings."""
        limited = has_option(self.settings.model, "max_sequence_length")
        return {"max_sequence_length": count} if limited else {}

    def raw_inputs(self, data: Sequence[str]) -> dict[str, Sequence[str]]:
        return {TEXT: listed(data)}

    @property
    def reads_segments(self) -> bool:
        """Whether the model expects a start token and segments, like BERT."""
        return has_option(self.settings.model, "num_segments")

    @property
    def reads_sentences(self) -> bool:
        """Whether the model expects documents of sentences, like HAN."""
        return getattr(model_class(self.settings.model, self.name), "reads_sentences", False)


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
