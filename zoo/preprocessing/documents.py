"""Documents as sentences of tokens."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import tensorflow as tf

from zoo.data_statistics import Statistics
from zoo.errors import UserError
from zoo.preprocessing.base import BATCH, Features
from zoo.preprocessing.text import TEXT, TokenPreprocessor
from zoo.text.programs.joined import Rows
from zoo.text.programs.sentences import bounded_sentences, rows_of_sentences
from zoo.text.statistics import count_truncated
from zoo.text.tokenizer import Tokenizer

_END = r"([.!?]['\")\]]*)\s+"  # of a sentence, before the next one
_BLANK_LINE = r"\n\s*\n"
_SEPARATOR = "\x1e"


class DocumentPreprocessor(TokenPreprocessor):
    """Splits texts into sentences, and converts them to ids (B, sentences, words), padded.

    A sentence ends at `.`, `!` or `?` before whitespace, or at a blank line. A sentence of more
    than `max_sentence_length` tokens becomes several, so that nothing of it is lost. Sentences
    without tokens are left out.

    Args:
        tokenizer: The tokenizer.
        max_length: Maximum number of tokens of a document; longer documents are truncated.
        max_sentence_length: Maximum number of tokens of a sentence.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> tokenizer = train_tokenizer("words", ["red hat"], 7)
        >>> split = DocumentPreprocessor(tokenizer, max_length=9, max_sentence_length=2)
        >>> split(text=["Red. Red hat red", ""])["token_ids"].numpy().tolist()
        [[[6, 1], [6, 5], [6, 0]], [[0, 0], [0, 0], [0, 0]]]
    """

    nested: ClassVar[bool] = True
    axes: ClassVar[tuple[str, ...]] = (BATCH, "sentences", "words")

    def __init__(self, tokenizer: Tokenizer, max_length: int, max_sentence_length: int) -> None:
        self.max_sentence_length = max_sentence_length
        super().__init__(tokenizer, max_length)

    @property
    def meaning(self) -> str:
        return (
            "ids of the tokens of each sentence; at most "
            f"{self.max_sentence_length} in a sentence and {self.max_length} in a text"
        )

    def sentences(self, text: Any) -> tf.RaggedTensor:
        """Splits texts (B,) into sentences, ragged (B, sentences); some may be empty."""
        marked = tf.strings.regex_replace(text, _END, rf"\1{_SEPARATOR}")
        marked = tf.strings.regex_replace(marked, _BLANK_LINE, _SEPARATOR)
        return tf.strings.split(marked, _SEPARATOR)

    def tokenize(self, text: Any, second: Any = None) -> tf.RaggedTensor:
        """The tokens of each sentence of each text, ragged (B, sentences, tokens)."""
        sentences = self.sentences(text).with_row_splits_dtype(tf.int64)
        tokens = self.tokenizer.tokenize(sentences.flat_values).with_row_splits_dtype(tf.int64)
        return sentences.with_values(tokens)

    def __call__(self, **texts: Any) -> Features:
        return {"token_ids": self.pad_documents(self.tokenize(**texts))}

    def pad_documents(self, tokens: tf.RaggedTensor) -> tf.Tensor:
        """Truncates and pads tokens, ragged (B, sentences, words)."""
        pad = self.tokenizer.special_tokens.pad
        ids = self._split_long(self._truncate(tokens)).to_tensor(pad)
        # A model needs a position to pad: at least one sentence of one word.
        missing = tf.maximum(1 - tf.shape(ids)[1:], 0)
        more = tf.stack([tf.zeros_like(missing), missing], axis=1)
        return tf.pad(ids, tf.concat([[[0, 0]], more], axis=0), constant_values=pad)

    def _truncate(self, tokens: tf.RaggedTensor) -> tf.RaggedTensor:
        """The first `max_length` tokens of each document."""
        before = tokens.values.row_starts() - tf.repeat(
            tf.gather(tokens.values.row_splits, tokens.row_starts()), tokens.row_lengths()
        )
        lengths = tokens.values.row_lengths()
        kept = tf.clip_by_value(self.max_length - before, 0, lengths)
        is_kept = tf.ragged.range(lengths).flat_values < tf.repeat(kept, lengths)
        flat = tf.boolean_mask(tokens.flat_values, is_kept)
        return tokens.with_values(tf.RaggedTensor.from_row_lengths(flat, kept))

    def _split_long(self, tokens: tf.RaggedTensor) -> tf.RaggedTensor:
        """Splits long sentences, and leaves out empty ones."""
        most = self.max_sentence_length
        lengths = tokens.values.row_lengths()
        counts = (lengths + most - 1) // most  # parts of each sentence
        number = tf.ragged.range(counts).flat_values  # of each part within its sentence
        parts = tf.minimum(tf.repeat(lengths, counts) - number * most, most)
        of_document = tf.reduce_sum(tokens.with_values(counts), axis=1)
        flat = tf.RaggedTensor.from_row_lengths(tokens.flat_values, parts)
        return tf.RaggedTensor.from_row_lengths(flat, of_document)

    def measure(
        self, inputs: Mapping[str, Sequence[str]]
    ) -> tuple[dict[str, np.ndarray], Statistics]:
        tokens = self.tokenize(tf.constant(list(inputs[TEXT]), tf.string))
        merged = tokens.merge_dims(1, 2)
        statistics = count_truncated(
            merged.flat_values.numpy(),
            merged.row_lengths().numpy(),
            self.room,
            self.truncated,
            self.tokenizer.special_tokens,
        )
        return {"token_ids": self.pad_documents(tokens).numpy()}, statistics

    def of_bytes(self, *texts: Rows) -> tuple[Features, tf.Tensor]:
        pad, boundary = self.tokenizer.special_tokens.pad, self.tokenizer.vocabulary_size
        encoded = self.tokenizer.program.encode(*bounded_sentences(*texts[0]))
        sizes = self.max_length, self.max_sentence_length
        ids, counts = rows_of_sentences(*encoded, boundary, pad, *sizes)
        return {"token_ids": ids}, counts

    def check_litert(self) -> None:
        raise UserError(
            "LiteRT cannot split text into sentences: export this text-classifier without strings"
        )
