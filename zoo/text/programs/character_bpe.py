"""BPE of characters, with bytes in place of the characters that a vocabulary lacks."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from zoo.text.programs.code_points import CODE_POINTS, CodePointTable
from zoo.text.programs.merges import NO_WORD, Merges
from zoo.text.programs.ragged import BOUNDARY, END, packed, row_width, to_int
from zoo.text.programs.utf8 import decoded
from zoo.text.programs.valid_bytes import valid_bytes
from zoo.text.programs.whole_tokens import found_whole, whole_trie
from zoo.text.shift import moved

_CONTINUING = 3  # greatest number of bytes of a character after the first


class Pieces(NamedTuple):
    """The tokens that texts begin with, before merges.

    Args:
        characters: Ids by character.
        in_bytes: The id of each of the 256 bytes, for characters that have no id.
        whole: Ids of tokens that are found in texts as a whole, by their text.
    """

    characters: Mapping[str, int]
    in_bytes: np.ndarray
    whole: Mapping[str, int]


class CharacterBPE:
    """Finds whole tokens in texts, and merges the characters between them.

    Source: Sennrich et al. 2016; bytes: Kudo & Richardson 2018 (SentencePiece's byte fallback), as
        implemented by Hugging Face's `tokenizers`.

    Merges go beyond words. So a text is only split where no merge can be: before a space behind a
    character that no token has before a space.

    Args:
        pieces: The tokens before merges.
        merges: The merges.
        space: The character that stands for a space.
        joined: The characters behind which a space is part of the same word.
        pad: Id of padding.
        boundary: Id of boundaries.
    """

    def __init__(
        self,
        pieces: Pieces,
        merges: Merges,
        space: str,
        joined: frozenset[str],
        pad: int,
        boundary: int,
    ) -> None:
        self._merges, self._pad, self._boundary = merges, pad, boundary
        self._bytes = np.array([*pieces.in_bytes, 0, boundary], np.int32)
        ids, kinds = np.zeros(CODE_POINTS, np.int64), np.zeros(CODE_POINTS, np.int64)
        for character, number in pieces.characters.items():
            ids[ord(character)] = number + 1
        ids[ord(" ")] = ids[ord(space)]
        for character in {" ", space, *joined}:
            kinds[ord(character)] = 1 if character not in (" ", space) else 3
        self._ids, self._kinds = CodePointTable(ids), CodePointTable(kinds)
        self._whole = whole_trie(pieces.whole) if pieces.whole else None

    def __call__(self, text_bytes: tf.Tensor, lengths: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Converts rows of UTF-8 to ids; see `TokenizerProgram`."""
        valid = valid_bytes(text_bytes, lengths)
        values, rows = valid.values, valid.rows
        read = decoded(values)
        inside = values < END
        starts = read.starts & inside
        number = tf.where(starts, self._ids(read.codes), 0)
        kind = tf.where(starts, self._kinds(read.codes), 0)
        # The bytes that continue a character are of its kind.
        continues = inside & ~starts
        known, joins = number > 0, kind > 0
        for _ in range(_CONTINUING):
            known = tf.where(continues, moved(known, 1, False), known)
            joins = tf.where(continues, moved(joins, 1, False), joins)
        ids = tf.where(known, number - 1, tf.gather(self._bytes, values))
        kept = tf.not_equal(values, END) & ~(continues & known)
        begins = ~inside | ~moved(inside, 1, False)
        begins |= (kind > 1) & ~moved(joins, 1, False)
        if self._whole is not None:
            is_whole, found, read_at = found_whole(self._whole, values)
            ids, kept = tf.where(is_whole, found, ids), tf.where(is_whole, True, kept & read_at)
            ends = read_at & moved(~read_at, 1, False)
            begins |= is_whole | ends | moved(is_whole, 1, False)
        words = tf.where(kept, tf.cumsum(to_int(begins)) - 1, NO_WORD)
        width = row_width(ids, rows)
        ids, words = (
            tf.reshape(packed(x, kept, rows, fill, width)[0], [-1])
            for x, fill in ((ids, 0), (words, NO_WORD))
        )
        ids, words = self._merges(ids, words, rows)
        return packed(ids, words >= 0, rows, self._pad)


assert BOUNDARY == END + 1  # as the ids of bytes are stored
