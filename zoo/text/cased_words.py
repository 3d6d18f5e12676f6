"""Tokenizer of whole words with their case, for models that generate texts."""

import collections
import functools
from collections.abc import Iterable, Sequence

import tensorflow as tf
import tensorflow_text as tf_text

from zoo.errors import UserError
from zoo.text.bert_normalization import isolated
from zoo.text.character_map import CharacterMap
from zoo.text.limits import LONGEST_TOKEN, shorter_words
from zoo.text.programs.program import Encode
from zoo.text.programs.symbols import SymbolTable
from zoo.text.programs.whole_words import WholeWords
from zoo.text.shift import moved
from zoo.text.special_tokens import SPECIALS, UNKNOWN
from zoo.text.tokenizer import Tokenizer, check_vocabulary

MARK = "▁"  # stands for the space before a word
_BROKEN = "\ufffd"  # what the mark itself and invalid UTF-8 become
_MARKED = len(SPECIALS)  # id of a mark without a word, inside of the tokenizer


class CasedWordTokenizer(Tokenizer):
    """Tokenizer of whole words and punctuation marks, of which decoding restores the text.

    Source: the vocabularies of Bahdanau et al. 2015 and Luong et al. 2015: the most frequent words,
        and an unknown token for all others.

    Splits text like cased BERT: at whitespace, and around each punctuation mark. A token knows
    whether a space is before it: "hat," is "▁hat" and ",". The first word of a text has one, which
    decoding leaves out. A run of whitespace of any kind becomes a single space. Words that are not
    in the vocabulary are unknown.

    Args:
        vocabulary: The special tokens, followed by the words, those after a space with "▁".

    Raises:
        UserError: If the vocabulary does not start with the special tokens, or contains a token
            twice, or an empty word.

    Example:
        >>> tokenizer = CasedWordTokenizer.train(["A red hat, a hat", "A well-known hat."], 13)
        >>> ids = tokenizer.tokenize(["A red hat, well-known"])
        >>> [tokenizer.vocabulary[i] for i in ids.to_list()[0]]
        ['▁A', '▁red', '▁hat', ',', '▁well', '-', 'known']
        >>> tokenizer.detokenize(ids).numpy()[0].decode()
        'A red hat, well-known'
    """

    kind = "cased-words"

    def __init__(self, vocabulary: Sequence[str]):
        check_vocabulary(vocabulary)
        learned = list(vocabulary[len(SPECIALS) :])
        if any(not each.removeprefix(MARK) for each in learned):
            raise UserError("the vocabulary of cased-words must not contain an empty word")
        self._spaced = _ids(learned, spaced=True)
        self._attached = _ids(learned, spaced=False)
        bare = sorted({*self._spaced, *self._attached})
        # Inside, every word has two ids, and the mark alone has one. Special tokens end with a
        # space, which no word contains.
        inside = [*(f"{each} " for each in SPECIALS), MARK, *bare, *(MARK + each for each in bare)]
        op = tf_text.FastWordpieceTokenizer(
            vocab=inside,
            suffix_indicator=" ",
            unknown_token=inside[UNKNOWN],
            max_bytes_per_word=LONGEST_TOKEN + len(MARK.encode()),
            no_pretokenization=True,
            support_detokenization=False,
            token_out_type=tf.int32,
        )
        attached = [self._attached.get(each, UNKNOWN) for each in bare]
        spaced = [self._spaced.get(each, UNKNOWN) for each in bare]
        reserved = [UNKNOWN] * (_MARKED + 1)
        self._plain_of = tf.constant([*reserved, *attached, *spaced], tf.int32)
        self._spaced_of = tf.constant([*reserved, *spaced, *spaced], tf.int32)

        def split(words: tf.RaggedTensor) -> tf.RaggedTensor:
            return self._joined(op.tokenize(words))

        spellings = [" " + each[1:] if each.startswith(MARK) else each for each in vocabulary]
        super().__init__(vocabulary, spellings, split)
        self._normalize = _character_map()

    @classmethod
    def train(cls, texts: Iterable[str], vocabulary_size: int) -> "CasedWordTokenizer":
        """Creates a tokenizer with the most frequent words of texts, of at most 256 bytes each.

        Args:
            texts: The texts, iterated once.
            vocabulary_size: Maximum number of tokens.

        Raises:
            UserError: If the texts are empty.
        """
        counts = collections.Counter(word for text in texts for word in words_of(text))
        del counts[MARK + _BROKEN], counts[_BROKEN]
        if not counts:
            raise UserError("cannot learn a vocabulary: the texts are empty")
        words = shorter_words(counts, LONGEST_TOKEN)
        frequent = sorted(words, key=lambda word: (-words[word], word))
        return cls([*SPECIALS, *frequent[: max(0, vocabulary_size - len(SPECIALS))]])

    @property
    def words(self) -> list[str]:
        return [each.removeprefix(MARK) for each in self.vocabulary]

    def tokenize(self, texts) -> tf.RaggedTensor:
        return super().tokenize(self._normalize(tf.convert_to_tensor(texts, tf.string)))

    def _joined(self, rows: tf.RaggedTensor) -> tf.RaggedTensor:
        """The ids of words (B, W, 1), in which marks without a word are joined with the next."""
        ids, starts = rows.flat_values, rows.values.row_starts()
        row = rows.value_rowids()
        first = ~tf.equal(row, moved(row, 1, -1))
        ids = tf.gather(ids, starts)
        marked = tf.equal(ids, _MARKED)
        spaced = first | moved(marked, 1, False)
        ids = tf.where(spaced, tf.gather(self._spaced_of, ids), tf.gather(self._plain_of, ids))
        kept = tf.concat([[0], tf.cumsum(tf.cast(~marked, rows.row_splits.dtype))], axis=0)
        words = tf.RaggedTensor.from_row_splits(
            tf.boolean_mask(ids, ~marked), tf.gather(kept, rows.row_splits), validate=False
        )
        return tf.expand_dims(words, -1)

    def _encoder(self) -> Encode:
        symbols = SymbolTable("".join([*self._spaced, *self._attached]), _isolating(" "))
        pad, boundary = self.special_tokens.pad, self.vocabulary_size
        return WholeWords(symbols, self._spaced, self._attached, UNKNOWN, pad, boundary)


def words_of(text: str) -> list[str]:
    """The words of a text as tokens, also those that no vocabulary has.

    Example:
        >>> words_of("A red  hat , well-known")
        ['▁A', '▁red', '▁hat', '▁,', '▁well', '-', 'known']
    """
    normalized = text.translate({ord(old): new for old, new in _isolating(f" {MARK}").items()})
    words: list[str] = []
    spaced = True
    for word in normalized.split(" "):
        if word == MARK:
            spaced = True
        elif word:
            words.append(MARK + word.removeprefix(MARK) if spaced else word)
            spaced = False
    return words


def joined(words: Sequence[str]) -> str:
    """The text of words as `words_of` gives them.

    Example:
        >>> joined(words_of("A red hat, well-known"))
        'A red hat, well-known'
    """
    return "".join(" " + each[1:] if each.startswith(MARK) else each for each in words).lstrip(" ")


def _ids(learned: Sequence[str], spaced: bool) -> dict[str, int]:
    """The ids of the words with or without a space before them, by their text."""
    return {
        each.removeprefix(MARK): number
        for number, each in enumerate(learned, len(SPECIALS))
        if each.startswith(MARK) == spaced
    }


@functools.cache
def _isolating(space: str) -> dict[str, str]:
    """What characters become that separate words, and those that are words of their own."""
    every = {chr(code): text for code, text in isolated().items()}
    separated = {old: space if new == " " else new for old, new in every.items()}
    return {**separated, "\0": space, MARK: f" {_BROKEN} "}


@functools.cache
def _character_map() -> CharacterMap:
    return CharacterMap(_isolating(f" {MARK}"))
