"""GPT-2's words: where they are among the bytes of texts."""

import tensorflow as tf

from zoo.text.pretokenize import GPT2
from zoo.text.programs.byte_bpe import word_begins
from zoo.text.programs.parts import before, bounded
from zoo.text.programs.ragged import axis_size, flattened, packed, to_int
from zoo.text.programs.separate_words import SeparateWords
from zoo.text.programs.utf8 import decoded
from zoo.text.programs.white_bytes import white_bytes


def separate_byte_words(
    text_bytes: tf.Tensor, lengths: tf.Tensor, split_digits: bool = False, pattern: str = GPT2
) -> SeparateWords:
    """Splits texts into words of byte-level BPE, which have the space before them.

    The places of a word are those without this space. Words of whitespace alone have -1 for both.

    Source: Radford et al. 2019, section 2.2.

    Args:
        text_bytes: Texts in UTF-8, int32 (B, N).
        lengths: Number of bytes of each (B,).
        split_digits, pattern: See `begins_words`.

    Example:
        >>> text = "It's  5€.".encode()
        >>> words = separate_byte_words(tf.constant([list(text)]), tf.constant([len(text)]))
        >>> places = zip(words.begins[0].numpy(), words.ends[0].numpy())
        >>> [text[begin:end].decode() for begin, end in places if begin >= 0]
        ['It', "'s", '5', '€.']
    """
    rows, size = axis_size(text_bytes, 0), axis_size(text_bytes, 1)
    read = decoded(flattened(text_bytes, lengths))
    begins, white = (
        tf.reshape(each, [rows, size + 1])[:, 1:]
        for each in (word_begins(read, rows, split_digits, pattern), white_bytes(read))
    )
    kept = tf.range(size) < lengths[:, None]
    ends = kept & (before(begins) | ~before(kept))
    position = tf.zeros_like(text_bytes) + tf.range(size)
    first, space = (
        packed(tf.reshape(each, [-1]), tf.reshape(begins, [-1]), rows, 0)[0]
        for each in (position, to_int(tf.equal(text_bytes, ord(" "))))
    )
    last, blank = (
        packed(tf.reshape(each, [-1]), tf.reshape(ends, [-1]), rows, 0)[0]
        for each in (position + 1, to_int(white))
    )
    first, last = (tf.where(blank > 0, -1, each) for each in (first + space, last))
    return SeparateWords(*bounded(text_bytes, kept, begins), first, last)
