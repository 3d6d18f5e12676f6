"""Sentences of words as padded token ids, with the position of each word's first token."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.data_statistics import Statistics
from zoo.errors import UserError
from zoo.preprocessing.base import Features
from zoo.preprocessing.text import TEXT, TextPreprocessor
from zoo.text.programs.joined import Rows
from zoo.text.programs.words import bounded_words, tokens_of_words
from zoo.text.statistics import count_unknown
from zoo.text.tokenizer import Tokenizer
from zoo.text.whitespace import WordSplitter

BEGINS_WORD = "begins_word"


class WordPreprocessor(TextPreprocessor):
    """Splits texts at whitespace, and converts them to padded ids between start and end token.

    A word without tokens, such as a control character, becomes the unknown token. Longer texts are
    truncated; `parts` splits long sentences instead.

    Args:
        tokenizer: The tokenizer.
        max_length: Maximum number of tokens, including the start and the end token.

    Features: `token_ids` (B, T), and `word_starts`, the position of each word's first token,
    ragged (B, W). Of bytes instead `begins_word`, int32 (B, T): 1 for each word's first token.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> words = WordPreprocessor(train_tokenizer("characters", ["ab"], 10), max_length=9)
        >>> words(text=["ab b"])["word_starts"].to_list()
        [[1, 4]]
    """

    def __init__(self, tokenizer: Tokenizer, max_length: int) -> None:
        super().__init__(tokenizer, max_length, start=True)
        self._split = WordSplitter()

    @property
    def meaning(self) -> str:
        special = self.tokenizer.special_tokens
        ids = f"the start token {special.start}, ids of the words, the end token {special.end}"
        return f"{ids}; at most {self.max_length} ids"

    def __call__(self, **texts: Any) -> Features:
        return self.encode(self._split.tokenize(texts[TEXT]))

    def words(self, texts: Sequence[str]) -> list[list[str]]:
        """Splits texts into words, in Python."""
        split = self._split.tokenize(tf.constant(list(texts), tf.string))
        return [[word.decode() for word in words] for words in split.to_list()]

    def encode(self, words: tf.RaggedTensor) -> Features:
        """Converts words, ragged (B, W), to features.

        Source: Devlin et al. 2019, section 5.3: the first token of a word represents the word.
        """
        special = self.tokenizer.special_tokens
        # The row splits of some tokenizers are int32, those of others int64.
        words = words.with_row_splits_dtype(tf.int64)
        pieces = self.tokenizer.of_words.tokenize(words.flat_values).with_row_splits_dtype(tf.int64)
        empty = tf.cast(tf.equal(pieces.row_lengths(), 0), tf.int64)
        unknown = tf.fill([tf.reduce_sum(empty)], tf.constant(special.unknown, pieces.dtype))
        pieces = tf.concat([pieces, tf.RaggedTensor.from_row_lengths(unknown, empty)], axis=1)
        pieces = pieces[:, : self.room]
        ids = tf.RaggedTensor.from_row_splits(pieces, words.row_splits).merge_dims(1, 2)
        # The position of a word's first piece among all pieces, relative to that of its text.
        begins = pieces.row_starts() - tf.repeat(ids.row_starts(), words.row_lengths())
        starts = words.with_values(begins + 1)
        starts = tf.ragged.boolean_mask(starts, starts < self.max_length - 1)
        return {"token_ids": self.pad(ids.to_tensor(special.pad)), "word_starts": starts}

    def of_bytes(self, *texts: Rows) -> tuple[Features, tf.Tensor]:
        special, boundary = self.tokenizer.special_tokens, self.tokenizer.vocabulary_size
        encoded = self.tokenizer.of_words.program.encode(*bounded_words(*texts[0]))
        ids, begins, counts = tokens_of_words(*encoded, boundary, special.unknown, special.pad)
        begins = tf.pad(begins[:, : self.room], [[0, 0], [1, 1]])
        return {"token_ids": self.pad(ids), BEGINS_WORD: begins}, counts

    def read_parts(self, parts: Sequence["SentencePart"]) -> Features:
        """Converts parts of sentences to features, in Python."""
        return self.encode(tf.ragged.constant([part.words for part in parts], tf.string, 1))

    def measure(self, inputs: Mapping[str, Sequence[str]]) -> tuple[dict[str, Any], Statistics]:
        words = self._split.tokenize(tf.constant(list(inputs[TEXT]), tf.string))
        features = self.encode(words)
        over = int(tf.size(words.flat_values) - tf.size(features["word_starts"].flat_values))
        ids = features["token_ids"].numpy()
        unknown = count_unknown(ids, self.tokenizer.special_tokens)
        statistics = Statistics({"words truncated": over, "unknown tokens": unknown})
        return {**features, "token_ids": ids}, statistics

    def parts(self, sentences: Sequence[Sequence[str]]) -> tuple[list["SentencePart"], Statistics]:
        """Splits long sentences into parts that fit into the model.

        Args:
            sentences: The words of each sentence.

        Returns:
            The parts of all sentences, and counts of unknown tokens and of truncated words, which
            are too long for the model by themselves.
        """
        every = [word for words in sentences for word in words]
        lengths, unknown = self._lengths(every)
        parts, index = [], 0
        for number, words in enumerate(sentences):
            begin = used = 0
            for word in range(len(words)):
                size = min(lengths[index], self.room)
                if used and used + size > self.room:
                    parts.append(SentencePart(list(words[begin:word]), number, begin))
                    begin, used = word, 0
                used += size
                index += 1
            if len(words) > begin:
                parts.append(SentencePart(list(words[begin:]), number, begin))
        over = int((np.array(lengths, int) > self.room).sum())
        return parts, Statistics({"words truncated": over, "unknown tokens": unknown})

    def _lengths(self, words: list[str]) -> tuple[list[int], int]:
        if not words:
            return [], 0
        tokens = self.tokenizer.of_words.tokenize(words)
        lengths = tokens.row_lengths().numpy()
        unknown = count_unknown(tokens.flat_values.numpy(), self.tokenizer.special_tokens)
        return np.maximum(lengths, 1).tolist(), unknown + int((lengths == 0).sum())

    def check_litert(self) -> None:
        raise UserError(
            "LiteRT cannot split text into words: export a token-tagger without strings"
        )


@dataclass(frozen=True)
class SentencePart:
    """A sentence, or a part of a long sentence.

    Args:
        words: The words.
        sentence: Index of the sentence.
        begin: Index of the first word in the sentence.
    """

    words: list[str]
    sentence: int
    begin: int
