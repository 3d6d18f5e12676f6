"""The sentences of texts: where they are among the bytes, and ids in rows of sentences."""

import numpy as np
import tensorflow as tf

from zoo.text.programs.parts import bounded
from zoo.text.programs.ragged import END, axis_size, columns, flattened, packed, to_int
from zoo.text.shift import moved

_OTHER, _WHITE, _ENDING, _CLOSING, _SEPARATOR = range(5)
_OF_KIND = {_WHITE: b"\t\n\f\r ", _ENDING: b".!?", _CLOSING: b"'\")]", _SEPARATOR: b"\x1e"}
_KINDS = np.full(END + 1, _OTHER, np.int32)
for _kind, _bytes in _OF_KIND.items():
    _KINDS[[*_bytes]] = _kind


def bounded_sentences(text_bytes: tf.Tensor, lengths: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Rows of bytes, int32 (B, N) with their lengths (B,), of which each sentence is a part.

    Between sentences there is whitespace after `.`, `!` or `?` and any number of `'`, `"`, `)` and
    `]`; or a blank line, from the first line break to the last; or the separator "\\x1e".
    """
    flat = flattened(text_bytes, lengths)
    kind, is_line = tf.gather(_KINDS, flat), tf.equal(flat, ord("\n"))
    white = tf.equal(kind, _WHITE)
    lines = tf.cumsum(to_int(is_line))
    # Of each run of whitespace, the positions of its first and of its last byte.
    first = _last_position(~white | ~moved(white, 1, False))
    last = _next_place(~white | ~moved(white, -1, False))
    # The kind of the byte before each, leaving out those that close something.
    kind_before = moved(tf.gather(kind, _last_position(tf.not_equal(kind, _CLOSING))), 1, _OTHER)
    ends = white & tf.equal(tf.gather(kind_before, first), _ENDING)

    # How many line breaks there are before the run, and up to its end.
    least, most = tf.gather(lines - to_int(is_line), first), tf.gather(lines, last)
    between = (lines > least) & (lines - to_int(is_line) < most)
    blank = white & between & (most > least + 1)
    kept = (flat < END) & ~(ends | blank | tf.equal(kind, _SEPARATOR))
    kept = tf.reshape(kept, [axis_size(text_bytes, 0), -1])[:, 1:]
    return bounded(text_bytes, kept)


def _last_position(there: tf.Tensor) -> tf.Tensor:
    """The last position (N,) up to each where something is, bool (N,); it is at the first one."""
    size = axis_size(there, 0)
    positions = packed(tf.range(size), there, 1, 0, size)[0][0]
    return tf.gather(positions, tf.maximum(tf.cumsum(to_int(there)) - 1, 0))


def _next_place(there: tf.Tensor) -> tf.Tensor:
    """The next position from each; something is at the last one."""
    return tf.size(there) - 1 - tf.reverse(_last_position(tf.reverse(there, [0])), [0])


def rows_of_sentences(
    ids: tf.Tensor, counts: tf.Tensor, boundary: int, pad: int, most: int, longest: int
) -> tuple[tf.Tensor, tf.Tensor]:
    """The ids of each sentence in a row of its own.

    Longer sentences become several, and those without ids are left out.

    Args:
        ids: The ids of texts, a boundary before each sentence, int32 (B, L).
        counts: Number of ids of each text (B,).
        boundary: Id of boundaries.
        pad: Id of padding.
        most: Number of ids of a text, without boundaries; what is behind them is left out.
        longest: Number of ids of a sentence.

    Returns:
        The ids (B, sentences, longest), padded, at least one of each; and how many each text had
        before some were left out.

    Example:
        >>> given = tf.constant([[9, 5, 6, 7, 9, 9, 8, 8]]), tf.constant([8])
        >>> sentence_ids, counts = rows_of_sentences(*given, boundary=9, pad=0, most=4, longest=2)
        >>> sentence_ids.numpy().tolist(), counts.numpy().tolist()
        ([[[5, 6], [7, 0], [8, 0]]], [5])
    """
    rows, size = axis_size(ids, 0), axis_size(ids, 1)
    inside = tf.range(size) < counts[:, None]
    tokens = inside & tf.not_equal(ids, boundary)
    position = tf.cumsum(to_int(tokens), axis=1) - 1
    kept = tokens & (position < most)
    # A boundary has the position of the token before it.
    boundaries = tf.reshape(inside & ~tokens, [-1])
    begin = tf.gather(tf.reshape(position, [-1]), _last_position(boundaries))
    position = position - tf.reshape(begin, [rows, -1]) - 1
    column = position % longest
    begins = kept & tf.equal(column, 0)
    sentence = tf.cumsum(to_int(begins), axis=1) - 1

    static = min(most, size) if ids.shape.is_fully_defined() else None
    sentences = _at_least_one(columns(tf.reduce_sum(to_int(begins), axis=1), static))
    used = tf.reduce_max(tf.pad(tf.where(kept, column + 1, 0), [[0, 0], [0, 1]]), axis=1)
    words = _at_least_one(columns(used, None if static is None else min(static, longest)))
    end = rows * sentences * words
    row = tf.range(rows)[:, None] * sentences + sentence
    target = tf.reshape(tf.where(kept, row * words + column, end), [-1, 1])
    # Counted from the value of what nothing is written to.
    sentence_ids = tf.scatter_nd(target, tf.reshape(tf.where(kept, ids - pad, 0), [-1]), [end + 1])
    sentence_ids = tf.reshape(sentence_ids[:-1] + pad, [rows, sentences, words])
    return sentence_ids, tf.reduce_sum(to_int(tokens), axis=1)


def _at_least_one(number: int | tf.Tensor) -> int | tf.Tensor:
    return max(number, 1) if isinstance(number, int) else tf.maximum(number, 1)
