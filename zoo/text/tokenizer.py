"""The base of every tokenizer: words, their pieces, and the pieces' spelling."""

import json
import pathlib
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

import numpy as np
import tensorflow as tf
import tensorflow_text as tf_text

from zoo.atomic import replacing
from zoo.errors import UserError
from zoo.text.special_tokens import OURS, SPECIALS, SpecialTokens
from zoo.text.whitespace import WordSplitter

FILE_NAME = "tokenizer.json"


class Tokenizer:
    """Text to ids and back, with the same ops in tf.data, a SavedModel and a LiteRT file.

    Text is split at ASCII whitespace, then every word into pieces. A piece that begins a word is
    spelled with the space before it, so ids become text again by looking the spellings up and
    joining them; runs of whitespace become one space. Nothing else is normalised: case, accents
    and punctuation come back as they were.

    Only tensorflow-text's custom operators and LiteRT's built-in ones are used.

    Args:
        vocabulary: the pieces by id.
        spellings: the text of each piece, with a space in front where it begins a word; the
            special_tokens are invisible.
        split: string tensor (words,) -> ragged int32 ids (words, pieces).
        special_tokens: the ids that stand for no text.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> tokenizer = train_tokenizer("wordpiece", ["a red hut", "a hat"], 30)
        >>> ids = tokenizer.tokenize(["a hut", "red"])
        >>> [text.decode() for text in tokenizer.detokenize(ids).numpy()]
        ['a hut', 'red']
    """

    kind: ClassVar[str]

    def __init__(
        self,
        vocabulary: Sequence[str],
        spellings: Sequence[str],
        split: Callable[[tf.Tensor], tf.RaggedTensor],
        special_tokens: SpecialTokens = OURS,
    ):
        self.vocabulary, self.special_tokens = list(vocabulary), special_tokens
        self._split = split
        self._words = WordSplitter()
        # Every spelling twice: at the beginning of a text without its space, elsewhere with it.
        inside = list(spellings)
        self._visible = np.ones(len(inside), np.int32)
        for invisible in special_tokens.invisible:
            inside[invisible], self._visible[invisible] = "", 0
        self._spellings = np.array([text.removeprefix(" ") for text in inside] + inside, object)

    @classmethod
    def train(cls, texts: Iterable[str], vocabulary_size: int) -> "Tokenizer":
        """Learns a vocabulary of at most about `vocabulary_size` pieces; deterministic."""
        raise NotImplementedError

    @property
    def vocabulary_size(self) -> int:
        """Number of pieces, the special_tokens included."""
        return len(self.vocabulary)

    def tokenize(self, texts) -> tf.RaggedTensor:
        """Texts (B,) -> ids, ragged (B, pieces), int32, without special_tokens."""
        texts = tf.convert_to_tensor(texts, tf.string)
        return self._split(self._words.tokenize(texts)).merge_dims(-2, -1)

    def detokenize(self, ids, continues: bool = False) -> tf.Tensor:
        """Ids (B, T), dense or ragged -> texts (B,); special_tokens are invisible.

        Args:
            ids: The ids.
            continues: Whether they stand behind others, so that a first word keeps its space.
        """
        return tf.strings.reduce_join(self._spell(ids, continues), axis=1)

    def check_litert(self) -> None:
        """Raises a UserError where LiteRT has no operators that make ids of text."""

    def detokenize_for_litert(self, ids: tf.Tensor, continues: bool = False) -> tf.Tensor:
        """`detokenize` in operators that LiteRT has; the length T must be static.

        Only for tracing a function that is converted: TensorFlow's own kernel of this join crashes
        the process when a batch is large or a piece is long; LiteRT's does not.
        """
        if tf.executing_eagerly() or not ids.shape[1]:
            raise ValueError("detokenize_for_litert wants to be traced, with ids of a known length")
        pieces, join = self._spell(ids, continues), tf_text.Reduction.STRING_JOIN
        texts = tf_text.ngrams(
            pieces, ids.shape[1], axis=-1, reduction_type=join, string_separator=""
        )
        return tf.reshape(texts, [-1])

    def _spell(self, ids, continues: bool) -> tf.Tensor:
        """Ids (B, T) -> the text of each piece (B, T)."""
        if isinstance(ids, tf.RaggedTensor):
            ids = ids.to_tensor(self.special_tokens.pad)
        ids = tf.cast(ids, tf.int32)
        # Of the piece among the audible.
        rank = tf.cumsum(tf.gather(tf.constant(self._visible), ids), axis=1)
        inside = tf.cast(rank > int(not continues), tf.int32) * self.vocabulary_size
        return tf.gather(tf.constant(self._spellings), ids + inside)

    def facts(self) -> dict:
        """What `save` writes, and the constructor takes back, as JSON types."""
        return {"vocabulary": self.vocabulary}

    def save(self, folder) -> None:
        """Writes `tokenizer.json` into the folder."""
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"kind": self.kind, **self.facts()}, ensure_ascii=False, indent=0)
        with replacing(folder / FILE_NAME) as partial:  # a run that goes on writes it again
            partial.write_text(text + "\n", encoding="utf-8")


def check_vocabulary(vocabulary: Sequence[str]) -> None:
    """Raises a UserError unless the special_tokens come first and no piece comes twice."""
    if tuple(vocabulary[: len(SPECIALS)]) != SPECIALS:
        raise UserError(f"a vocabulary must begin with {', '.join(SPECIALS)}")
    if len(set(vocabulary)) != len(vocabulary):
        raise UserError("a vocabulary must not hold a piece twice")
