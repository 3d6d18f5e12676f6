"""Words without the punctuation marks beside them: where they are among the bytes of texts."""

import functools
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from zoo.text.bert_normalization import normalization
from zoo.text.programs.code_points import CODE_POINTS, CodePointTable
from zoo.text.programs.parts import before, bounded
from zoo.text.programs.ragged import END, axis_size, flattened, packed
from zoo.text.programs.utf8 import decoded
from zoo.text.shift import moved

_PART, _ALONE, _SPACE = range(3)
_CONTINUING = 3  # greatest number of bytes of a character after the first


class SeparateWords(NamedTuple):
    """The words of texts.

    Args:
        text_bytes: Rows in which each word is a part, int32 (B, L); see `zoo.text.programs.parts`.
        lengths: How many bytes each row has (B,).
        begins: Number of bytes of a text before each word, int32 (B, W).
        ends: Number of bytes up to the end of each word, int32 (B, W).
    """

    text_bytes: tf.Tensor
    lengths: tf.Tensor
    begins: tf.Tensor
    ends: tf.Tensor


def separate_words(text_bytes: tf.Tensor, lengths: tf.Tensor) -> SeparateWords:
    """Splits texts at whitespace of any kind, and around punctuation marks and Chinese characters.

    Source: Devlin et al. 2019; the authors' `tokenization.py`, as implemented by Hugging Face's
        `tokenizers`, which defines the kind of each character. No token of BERT goes beyond a word.

    Args:
        text_bytes: Texts in UTF-8, int32 (B, N).
        lengths: Number of bytes of each (B,).

    Example:
        >>> text = "It's 5\u2009€.".encode()
        >>> words = separate_words(tf.constant([list(text)]), tf.constant([len(text)]))
        >>> places = zip(words.begins[0].numpy(), words.ends[0].numpy())
        >>> [text[begin:end].decode() for begin, end in places]
        ['It', "'", 's', '5', '€', '.']
    """
    return _separated(_kinds(), text_bytes, lengths)


def separated_at(
    characters: frozenset[str], text_bytes: tf.Tensor, lengths: tf.Tensor
) -> SeparateWords:
    """Splits texts at some characters alone; see `separate_words`.

    Example:
        >>> text = b"It's 5."
        >>> words = separated_at(frozenset(" "), tf.constant([list(text)]), tf.constant([7]))
        >>> words.begins.numpy().tolist(), words.ends.numpy().tolist()
        ([[0, 5]], [[4, 7]])
    """
    return _separated(_kinds_with(characters), text_bytes, lengths)


def _separated(kinds: CodePointTable, text_bytes: tf.Tensor, lengths: tf.Tensor) -> SeparateWords:
    rows, size = axis_size(text_bytes, 0), axis_size(text_bytes, 1)
    flat = flattened(text_bytes, lengths)
    characters = decoded(flat)
    kind = tf.where(characters.starts, kinds(characters.codes), _SPACE)
    # The bytes that continue a character are of its kind.
    continues = ~characters.starts & tf.not_equal(flat, END)
    for _ in range(_CONTINUING):
        kind = tf.where(continues, moved(kind, 1, _SPACE), kind)
    kept = tf.not_equal(kind, _SPACE)
    alone = tf.equal(kind, _ALONE) | ~tf.equal(moved(kind, 1, _SPACE), _PART)
    begins = characters.starts & kept & alone
    kept, begins = (tf.reshape(each, [rows, size + 1])[:, 1:] for each in (kept, begins))
    ends = kept & (before(begins) | ~before(kept))
    position = tf.reshape(tf.zeros_like(text_bytes) + tf.range(size), [-1])
    first, _ = packed(position, tf.reshape(begins, [-1]), rows, 0)
    last, _ = packed(position + 1, tf.reshape(ends, [-1]), rows, 0)
    return SeparateWords(*bounded(text_bytes, kept, begins), first, last)


@functools.cache
def _kinds() -> CodePointTable:
    kinds = np.full(CODE_POINTS, _PART)
    of_text = {" ": _SPACE, 3: _ALONE}
    for character, text in normalization(False, False, True).items():
        kinds[ord(character)] = of_text.get(text, of_text.get(len(text), _PART))
    kinds[[*b" \0"]] = _SPACE
    return CodePointTable(kinds)


@functools.lru_cache(maxsize=8)
def _kinds_with(separators: frozenset[str]) -> CodePointTable:
    kinds = np.full(CODE_POINTS, _PART)
    kinds[[ord(each) for each in separators]] = _SPACE
    return CodePointTable(kinds)
