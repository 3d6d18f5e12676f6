"""Base class of the tokenizers."""

import functools
import json
import pathlib
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

import numpy as np
import tensorflow as tf
import tensorflow_text as tf_text

from zoo.atomic import replacing
from zoo.errors import UserError
from zoo.text.limits import check_tokens
from zoo.text.programs.program import Decode, Encode, TokenizerProgram
from zoo.text.programs.separate_words import SeparateWords, separate_words
from zoo.text.programs.spelling import Spelling
from zoo.text.special_tokens import DEFAULT_SPECIAL_TOKENS, MASK, SPECIALS, SpecialTokens
from zoo.text.whitespace import WordSplitter

FILE_NAME = "tokenizer.json"


class Tokenizer:
    """Converts text to ids and back, with the same operators in tf.data, SavedModels and LiteRT.

    Text is split at ASCII whitespace, then every word is split into tokens. The spelling of a token
    that starts a word includes the space before it, so decoding looks up the spellings and joins
    them. A run of whitespace becomes a single space. Nothing else is normalized: decoding restores
    case, accents and punctuation.

    Uses only the custom operators of tensorflow-text and the built-in operators of LiteRT.

    Args:
        vocabulary: The tokens in the order of their ids.
        spellings: The text of each token, with a space in front if it starts a word. Those of
            special tokens are ignored.
        split: Function from words, a string tensor (words,), to ragged int32 ids (words, T).
        special_tokens: Ids of the special tokens.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> tokenizer = train_tokenizer("wordpiece", ["a red hut", "a hat"], 30)
        >>> ids = tokenizer.tokenize(["a hut", "red"])
        >>> [text.decode() for text in tokenizer.detokenize(ids).numpy()]
        ['a hut', 'red']
    """

    kind: ClassVar[str]
    prefix_space: bool = False  # whether a text that begins with no space gets one
    adds_start: bool = False  # whether each text of a language model begins with the start token

    def __init__(
        self,
        vocabulary: Sequence[str],
        spellings: Sequence[str],
        split: Callable[[tf.Tensor], tf.RaggedTensor],
        special_tokens: SpecialTokens = DEFAULT_SPECIAL_TOKENS,
    ):
        self.vocabulary, self.special_tokens = list(vocabulary), special_tokens
        self._split = split
        self._words = WordSplitter()
        # Every spelling is stored twice: without its space for the first token of a text, with it
        # for all others.
        inside = list(spellings)
        self._visible = np.ones(len(inside), np.int32)
        for special in special_tokens.invisible:
            inside[special], self._visible[special] = "", 0
        self._spellings = np.array([text.removeprefix(" ") for text in inside] + inside, object)

    @property
    def blank_ids(self) -> tuple[int, ...]:
        """Ids that say nothing of a text: special ones, and those of spaces alone, such as "▁".

        Example:
            >>> from zoo.text import train_tokenizer
            >>> train_tokenizer("characters", ["ah ha"], 10).blank_ids
            (0, 1, 2, 3, 4)
        """
        spellings = self._spellings[len(self.vocabulary) :]
        blank = (place for place, text in enumerate(spellings) if not text.strip())
        return tuple(sorted({*self.special_tokens.ids, *blank}))

    @classmethod
    def train(cls, texts: Iterable[str], vocabulary_size: int) -> "Tokenizer":
        """Trains a tokenizer with about `vocabulary_size` tokens; deterministic."""
        raise NotImplementedError

    @property
    def mask_name(self) -> str:
        """What becomes a mask token in texts."""
        mask = self.special_tokens.mask
        return MASK if mask < 0 else self.vocabulary[mask]

    @property
    def marked(self) -> tuple[int, ...]:
        """Ids of the tokens that chats contain as a whole, such as "<|im_start|>"."""
        return ()

    @property
    def words(self) -> list[str]:
        """The word that each token is, to look it up in other vocabularies."""
        return self.vocabulary

    @property
    def before_document(self) -> tuple[int, ...]:
        """The start token of a document in a stream; none if the end token is before it, too."""
        start, end = self.special_tokens.start, self.special_tokens.end
        return (start,) if self.adds_start and start != end else ()

    @property
    def of_words(self) -> "Tokenizer":
        """The tokenizer of words that are given without the text around them."""
        return self

    @property
    def vocabulary_size(self) -> int:
        """Number of tokens, including the special tokens."""
        return len(self.vocabulary)

    def tokenize(self, texts) -> tf.RaggedTensor:
        """Converts texts (B,) to ragged int32 ids (B, T), without special tokens."""
        texts = tf.convert_to_tensor(texts, tf.string)
        return self._split(self._words.tokenize(texts)).merge_dims(-2, -1)

    def detokenize(self, ids, continues: bool = False) -> tf.Tensor:
        """Converts ids (B, T), dense or ragged, to texts (B,), skipping special tokens.

        Args:
            ids: The ids.
            continues: Whether the ids continue a text, so that the first word keeps its space.
        """
        return tf.strings.reduce_join(self._spell(ids, continues), axis=1)

    def check_litert(self) -> None:
        """Raises a `UserError` if LiteRT lacks operators that this tokenizer needs."""

    def detokenize_for_litert(self, ids: tf.Tensor, continues: bool = False) -> tf.Tensor:
        """`detokenize` with LiteRT's operators only. The length T must be static.

        Call it only in a function that is converted to LiteRT: TensorFlow's kernel of the operator
        that joins the tokens crashes on large batches and long tokens, LiteRT's does not.

        Raises:
            ValueError: If it is called in eager mode, or the length is not static.
        """
        if tf.executing_eagerly() or not ids.shape[1]:
            raise ValueError("detokenize_for_litert must be traced with ids of static length.")
        pieces, join = self._spell(ids, continues), tf_text.Reduction.STRING_JOIN
        texts = tf_text.ngrams(
            pieces, ids.shape[1], axis=-1, reduction_type=join, string_separator=""
        )
        return tf.reshape(texts, [-1])

    def _spell(self, ids, continues: bool) -> tf.Tensor:
        """Looks up the text of each token: ids (B, T) to strings (B, T)."""
        if isinstance(ids, tf.RaggedTensor):
            ids = ids.to_tensor(self.special_tokens.pad)
        ids = tf.cast(ids, tf.int32)
        # Number of visible tokens so far, including this one.
        rank = tf.cumsum(tf.gather(tf.constant(self._visible), ids), axis=1)
        inside = tf.cast(rank > int(not continues), tf.int32) * self.vocabulary_size
        return tf.gather(tf.constant(self._spellings), ids + inside)

    @functools.cached_property
    def program(self) -> TokenizerProgram:
        """The tokenizer as a tensor program, from bytes to ids and back."""
        return TokenizerProgram(self._encoder(), self._decoder())

    def separate_words(self, text_bytes: tf.Tensor, lengths: tf.Tensor) -> SeparateWords:
        """The words of texts, UTF-8 as int32 (B, N) with lengths (B,); no token goes beyond one."""
        return separate_words(text_bytes, lengths)

    def encode_words(
        self, text_bytes: tf.Tensor, lengths: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """The ids of words that `separate_words` found; see `TokenizerProgram`."""
        return self.program.encode(text_bytes, lengths)

    def _encoder(self) -> Encode:
        raise NotImplementedError

    def _decoder(self) -> Decode:
        inside = self._spellings[self.vocabulary_size :]
        return Spelling([text.encode() for text in inside], self._visible.astype(bool).tolist())

    def facts(self) -> dict:
        """The constructor's arguments as JSON types, which `save` writes."""
        return {"vocabulary": self.vocabulary}

    def to_json(self) -> str:
        """The content of `tokenizer.json`."""
        facts = {"kind": self.kind, **self.facts()}
        return json.dumps(facts, ensure_ascii=False, indent=0) + "\n"

    def save(self, folder) -> None:
        """Writes the tokenizer to `tokenizer.json` in the folder."""
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(folder / FILE_NAME) as partial:  # a resumed run writes it again
            partial.write_text(self.to_json(), encoding="utf-8")


def check_vocabulary(vocabulary: Sequence[str]) -> None:
    """Raises a `UserError` unless the special tokens come first, followed by valid tokens."""
    check_tokens(vocabulary)
    if tuple(vocabulary[: len(SPECIALS)]) != SPECIALS:
        raise UserError(f"a vocabulary must start with {', '.join(SPECIALS)}")
