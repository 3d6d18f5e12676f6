"""Texts with mask tokens."""

import re
from collections.abc import Callable

import tensorflow as tf

from zoo.text.separators import NOT_SEPARATOR
from zoo.text.special_tokens import MASK

WHITE = r"[\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]"
"""Whitespace of any kind, as a regular expression of RE2."""


def between_masks(
    tokenize: Callable[[tf.Tensor], tf.RaggedTensor],
    texts: tf.Tensor,
    mask: str,
    mask_id: int,
    strips: bool,
) -> tf.RaggedTensor:
    """The ids of texts (B,), ragged (B, T), in which each mask is one token.

    Args:
        tokenize: Function from the texts between masks, (N,), to ragged ids (N, T).
        texts: The texts.
        mask: The name of the mask in texts.
        mask_id: Its id.
        strips: Whether whitespace before a mask is part of it.

    Example:
        >>> count = lambda texts: tf.RaggedTensor.from_tensor(tf.strings.length(texts)[:, None])
        >>> between_masks(count, tf.constant(["a  <mask> bc", ""]), "<mask>", 9, True).to_list()
        [[1, 9, 3], [0]]
    """
    parts = tf.strings.split(texts, mask)
    flat, lengths = parts.flat_values, parts.row_lengths()
    ends = parts.row_limits() - 1  # the last part of each text, behind which there is no mask
    is_last = tf.scatter_nd(ends[:, None], tf.ones_like(ends), tf.shape(flat, tf.int64)) > 0
    if strips:
        flat = tf.where(is_last, flat, tf.strings.regex_replace(flat, f"{WHITE}+$", ""))
    ids = tokenize(flat)
    marks = tf.RaggedTensor.from_row_lengths(
        tf.fill([tf.size(flat) - tf.size(ends)], tf.constant(mask_id, ids.dtype)),
        tf.cast(~is_last, ids.row_splits.dtype),
    )
    joined = tf.concat([ids, marks], axis=1)
    whole = tf.RaggedTensor.from_row_lengths(joined, tf.cast(lengths, joined.row_splits.dtype))
    return whole.merge_dims(1, 2)


def spaced(text: str) -> str:
    """Puts a space before every mask that does not start a word.

    Example:
        >>> spaced("([MASK]) or [MASK].")
        '( [MASK]) or [MASK].'
    """
    return re.sub(f"(?<={NOT_SEPARATOR})" + re.escape(MASK), " " + MASK, text)


def masked_word(text: str) -> str:
    """Replaces the middle word of a text with a mask.

    Example:
        >>> masked_word("to be or")
        'to [MASK] or'
    """
    words = text.split()
    words[len(words) // 2] = MASK
    return " ".join(words)
