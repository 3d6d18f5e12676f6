"""Windows of passages, each behind its question."""

from typing import NamedTuple

import tensorflow as tf

from zoo.text.programs.joined import Rows
from zoo.text.programs.ragged import axis_size, columns
from zoo.text.special_tokens import SpecialTokens


class WindowSizes(NamedTuple):
    """The sizes of windows, in tokens.

    Args:
        length: Maximum number of tokens of a window, with its question and special tokens.
        question: Maximum number of tokens of a question; others are left out.
        stride: From the beginning of a window in its passage to that of the next.
    """

    length: int
    question: int
    stride: int


def windows(
    question: Rows, passage: Rows, sizes: WindowSizes, special: SpecialTokens
) -> tuple[tf.Tensor, tf.Tensor]:
    """The windows of passages: start token, question, end token, part of the passage, end token.

    Where a start token of second texts exists, it is before the part of the passage.

    Source: Devlin et al. 2019, the authors' `run_squad.py`.

    Args:
        question: Padded ids of the questions, int32 (B, Q), and how many each has (B,).
        passage: Those of the passages (B, P).
        sizes: The sizes of the windows.
        special: The special tokens of the vocabulary.

    Returns:
        The ids, int32 (B, W, L), padded, and the position in its passage of each id, -1 for
        those of questions, special tokens and padding.

    Example:
        >>> question = tf.constant([[7]]), tf.constant([1])
        >>> passage = tf.constant([[4, 5, 6]]), tf.constant([3])
        >>> token_ids, places = windows(question, passage, WindowSizes(6, 1, 1), SpecialTokens())
        >>> token_ids.numpy().tolist()
        [[[2, 7, 3, 4, 5, 3], [2, 7, 3, 5, 6, 3]]]
        >>> places[0, 1].numpy().tolist()
        [-1, -1, -1, 1, 2, -1]
    """
    asked, size = tf.minimum(question[1], sizes.question), passage[1]
    begin_of_passage, marks = 1 + len(special.between), 2 + len(special.between)
    room = sizes.length - marks - asked  # of the part of a passage
    further = tf.maximum(size - room + sizes.stride - 1, 0) // sizes.stride
    most = longest = None  # windows, and tokens of a window, where sizes are static
    if question[0].shape.is_fully_defined() and passage[0].shape.is_fully_defined():
        most_asked, width = min(question[0].shape[1], sizes.question), passage[0].shape[1]
        least = sizes.length - marks - most_asked
        most = 1 + max(width - least + sizes.stride - 1, 0) // sizes.stride
        longest = min(sizes.length, marks + most_asked + width)
    count = tf.maximum(columns(1 + further, most), 1)
    length = tf.maximum(columns(marks + asked + tf.minimum(size, room), longest), marks)

    number, column = tf.range(count)[None, :, None], tf.range(length)[None, None, :]
    asked, room, size = (each[:, None, None] for each in (asked, room, size))
    place = number * sizes.stride + column - asked - begin_of_passage
    begin = number * sizes.stride
    end = tf.minimum(begin + room, size)
    exists = (number <= further[:, None, None]) & (column >= 0)
    in_passage = exists & (place >= begin) & (place < end)
    in_question = exists & (column >= 1) & (column <= asked)
    is_end = exists & (tf.equal(column, asked + 1) | tf.equal(place, end))
    places = tf.where(in_passage, place, -1)
    ids = tf.where(in_passage, looked_up(passage[0], place, in_passage), special.pad)
    question_ids = looked_up(question[0], column - 1 + tf.zeros_like(place), in_question)
    ids = tf.where(in_question, question_ids, ids)
    ids = tf.where(is_end, special.end, ids)
    if special.second_start >= 0:
        ids = tf.where(exists & tf.equal(column, asked + 2), special.second_start, ids)
    return tf.where(exists & tf.equal(column, 0), special.start, ids), places


def looked_up(values: tf.Tensor, places: tf.Tensor, there: tf.Tensor) -> tf.Tensor:
    """The values of rows (B, P) at places (B, ...); anything where there are none."""
    rows, width = axis_size(values, 0), axis_size(values, 1)
    # One more value, so that there is something to look up in rows without any.
    flat = tf.reshape(tf.pad(values, [[0, 0], [0, 1]]), [-1])
    row = tf.reshape(tf.range(rows), [-1, *[1] * (places.shape.rank - 1)]) * (width + 1)
    return tf.gather(flat, row + tf.where(there, places, width))
