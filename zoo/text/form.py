"""The forms in which a graph returns text: strings, strings of LiteRT, or bytes."""

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.text.programs.spelling import Spelling

TEXT = "text"
TEXT_BYTES, TEXT_LENGTHS = "text_bytes", "text_lengths"
Tensors = dict[str, Any]


class TextForm(enum.Enum):
    """The tensors of a text, and the operators that make them."""

    STRINGS = enum.auto()
    LITERT_STRINGS = enum.auto()  # in operators that LiteRT has, of tensorflow-text
    BYTES = enum.auto()  # numbers, in built-in operators


def text_form(text: str | None, litert: bool) -> TextForm:
    """The form of the texts of an artifact.

    Args:
        text: How the artifact takes and returns text: as "strings", as "bytes", or not, if None.
        litert: Whether the artifact is a LiteRT file.
    """
    if text == "bytes":
        return TextForm.BYTES
    return TextForm.LITERT_STRINGS if text and litert else TextForm.STRINGS


def chosen(texts: Sequence[str], ids: Any, form: TextForm) -> Tensors:
    """One of several texts for each row, such as its label.

    Args:
        texts: The texts.
        ids: The number of the text of each row, int32 (B,).
        form: The form of the outputs.

    Returns:
        `text`, strings (B,), or `text_bytes`, int32 (B, N), and `text_lengths` (B,).

    Example:
        >>> outputs = chosen(["no", "yes"], tf.constant([1, 0]), TextForm.BYTES)
        >>> outputs["text_bytes"].numpy().astype("uint8").tobytes(), outputs["text_lengths"].numpy()
        (b'yesno\\x00', array([3, 2], dtype=int32))
    """
    rows = [text.encode() for text in texts]
    if form is not TextForm.BYTES:
        return {TEXT: tf.gather(tf.constant(rows), ids)}
    lengths = np.array([*map(len, rows)], np.int32)
    table = np.zeros((len(rows), lengths.max()), np.int32)
    for row, text in zip(table, rows, strict=True):
        row[: len(text)] = list(text)
    return {TEXT_BYTES: tf.gather(table, ids), TEXT_LENGTHS: tf.gather(lengths, ids)}


def joined(texts: Sequence[str], separator: str, chosen: Any, form: TextForm) -> Tensors:
    """Any number of several texts for each row, such as its labels, with a separator between them.

    Args:
        texts: The texts.
        separator: What stands between them.
        chosen: 1 for each text of a row, otherwise 0: int32 (B, C).
        form: The form of the outputs.

    Returns:
        As `chosen`: strings (B,), or bytes and their number.

    Example:
        >>> labels, of_rows = ["a", "b", "c"], tf.constant([[1, 0, 1], [0, 0, 0]])
        >>> joined(labels, "|", of_rows, TextForm.STRINGS)["text"].numpy()
        array([b'a|c', b''], dtype=object)
    """
    is_chosen = chosen > 0
    before = tf.cumsum(chosen, axis=1, exclusive=True) > 0
    # Each text has a separator in front, if another text stands there.
    numbers = tf.where(is_chosen, tf.range(len(texts)), -1)
    between = tf.where(is_chosen & before, len(texts), -1)
    ids = tf.reshape(tf.stack([between, numbers], axis=2), [-1, 2 * len(texts)])
    pieces = [text.encode() for text in (*texts, separator)]
    if form is TextForm.BYTES:
        text_bytes, lengths = Spelling(pieces, [True] * len(pieces), keep_space=True)(ids)
        return {TEXT_BYTES: text_bytes, TEXT_LENGTHS: lengths}
    shown = tf.gather(tf.constant([*pieces, b""]), tf.where(ids < 0, len(pieces), ids))
    if form is TextForm.STRINGS:
        return {TEXT: tf.strings.reduce_join(shown, axis=1)}
    import tensorflow_text as tf_text

    join = tf_text.Reduction.STRING_JOIN
    return {
        TEXT: tf_text.ngrams(shown, 2 * len(texts), reduction_type=join, string_separator="")[:, 0]
    }
