"""Decoding UTF-8 at all positions at once."""

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from zoo.text.programs.ragged import BOUNDARY, END, axis_size
from zoo.text.shift import moved

REPLACEMENT = 0xFFFD
BOUNDARY_CODE = 0xD800  # that of `BOUNDARY`: a surrogate, which no text has
_INVALID = 4  # continuation bytes that no lead byte has


class _Lead(NamedTuple):
    """A range of lead bytes.

    Source: The Unicode Standard, table 3-7, "Well-Formed UTF-8 Byte Sequences".

    Args:
        first: The first byte.
        last: The last byte.
        more: Number of continuation bytes.
        least: The least second byte.
        greatest: The greatest second byte.
        offset: What to subtract from a byte to get its bits of the code point.
    """

    first: int
    last: int
    more: int
    least: int
    greatest: int
    offset: int


_LEADS = (
    _Lead(0x00, 0x7F, 0, 0, 0, 0),
    _Lead(0xC2, 0xDF, 1, 0x80, 0xBF, 0xC0),
    _Lead(0xE0, 0xE0, 2, 0xA0, 0xBF, 0xE0),
    _Lead(0xE1, 0xEC, 2, 0x80, 0xBF, 0xE0),
    _Lead(0xED, 0xED, 2, 0x80, 0x9F, 0xE0),
    _Lead(0xEE, 0xEF, 2, 0x80, 0xBF, 0xE0),
    _Lead(0xF0, 0xF0, 3, 0x90, 0xBF, 0xF0),
    _Lead(0xF1, 0xF3, 3, 0x80, 0xBF, 0xF0),
    _Lead(0xF4, 0xF4, 3, 0x80, 0x8F, 0xF0),
    _Lead(BOUNDARY, BOUNDARY, 0, 0, 0, BOUNDARY - BOUNDARY_CODE),
)


class Decoded(NamedTuple):
    """Rows of bytes, read as characters.

    Args:
        codes: The code point that starts at each position, int32 (M,).
        starts: Which positions start a character, or what is read as U+FFFD, bool (M,).
        valid: Which bytes are part of valid UTF-8, bool (M,).
    """

    codes: tf.Tensor
    starts: tf.Tensor
    valid: tf.Tensor


def decoded(text_bytes: tf.Tensor) -> Decoded:
    """Decodes rows of UTF-8 that are laid end to end.

    Invalid bytes become U+FFFD as in `bytes.decode(errors="replace")`: one for each longest
    sequence that begins a character and does not end it, and for each byte that begins none.

    Args:
        text_bytes: int32 (M,), with `END` before each row.

    Example:
        >>> from zoo.text.programs.ragged import flattened
        >>> text = "né".encode() + bytes([0xC3])
        >>> row = flattened(tf.constant([list(text)]), tf.constant([len(text)]))
        >>> code_points = decoded(row)
        >>> [chr(code) for code in tf.boolean_mask(code_points.codes, code_points.starts).numpy()]
        ['n', 'é', '\ufffd']
    """
    more, least, greatest, offset = (tf.gather(table, text_bytes) for table in _TABLES)
    second, third, fourth = (moved(text_bytes, -by, END) for by in (1, 2, 3))
    one = (more >= 1) & (second >= least) & (second <= greatest)
    two = one & (more >= 2) & _continues(third)
    three = two & (more >= 3) & _continues(fourth)
    whole = tf.where(more >= 3, three, tf.where(more >= 2, two, tf.equal(more, 0) | one))
    whole &= more < _INVALID

    code = text_bytes - offset
    for least_more, byte in ((1, second), (2, third), (3, fourth)):
        code = tf.where(more >= least_more, code * 64 + (byte - 0x80), code)
    starts = tf.not_equal(text_bytes, END) & ~_followed(one, two, three)
    valid = (starts & whole) | _followed(one & whole, two & whole, three & whole)
    return Decoded(tf.where(whole, code, REPLACEMENT), starts, valid)


def received(text_bytes: tf.Tensor, lengths: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Bytes and lengths as a client gave them, without what would have a meaning to programs.

    Args:
        text_bytes: The bytes, int32 (B, N); other numbers become a byte that is not valid UTF-8.
        lengths: See `whole_characters`.

    Example:
        >>> [each.numpy().tolist() for each in received(tf.constant([[97, 257]]), tf.constant([2]))]
        [[[97, 255]], [2]]
    """
    text_bytes = tf.where((text_bytes >= 0) & (text_bytes < END), text_bytes, END - 1)
    return text_bytes, whole_characters(text_bytes, lengths)


def whole_characters(text_bytes: tf.Tensor, lengths: tf.Tensor) -> tf.Tensor:
    """Number of bytes of each row that are part of whole characters.

    Args:
        text_bytes: The bytes, int32 (B, N).
        lengths: Number of bytes of each text (B,). Of one with more than N, the last character may
            be incomplete.

    Example:
        >>> rows, lengths = tf.constant([[*"aé".encode()[:2]], [97, 0xC3]]), tf.constant([3, 2])
        >>> whole_characters(rows, lengths).numpy().tolist()
        [1, 2]
    """
    size = axis_size(text_bytes, 1)
    last, distances = tf.pad(text_bytes, [[0, 0], [3, 0]])[:, size:], tf.constant([3, 2, 1])
    more = tf.gather(_TABLES[0], last)
    lead = tf.reduce_min(tf.where(more < _INVALID, distances, 4), axis=1, keepdims=True)
    incomplete = tf.equal(distances, lead) & (more >= distances)
    cut = tf.reduce_max(tf.where(incomplete, distances, 0), axis=1)
    return tf.where(lengths > size, size - cut, lengths)


def _followed(one: tf.Tensor, two: tf.Tensor, three: tf.Tensor) -> tf.Tensor:
    """What follows where there are one, two and three bytes more."""
    return moved(one, 1, False) | moved(two, 2, False) | moved(three, 3, False)


def _continues(byte: tf.Tensor) -> tf.Tensor:
    return (byte >= 0x80) & (byte <= 0xBF)


def _tables() -> list[np.ndarray]:
    """By lead byte: continuation bytes, least and greatest second byte, offset."""
    table = np.tile(np.array([[_INVALID], [END], [0], [0]], np.int32), BOUNDARY + 1)
    for lead in _LEADS:
        table[:, lead.first : lead.last + 1] = np.array(lead[2:])[:, None]
    return list(table)


_TABLES = _tables()
