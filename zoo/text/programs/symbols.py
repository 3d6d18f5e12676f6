"""Code points as symbols of a vocabulary, after normalization."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from zoo.text.programs.code_points import CODE_POINTS, CodePointTable, smallest
from zoo.text.programs.ragged import axis_size, flattened
from zoo.text.programs.utf8 import BOUNDARY_CODE, decoded

SPACE, UNKNOWN, UNKNOWN_ALONE = 0, 1, 2  # between words; characters that no token has
BOUNDARY_SYMBOL = 3  # that of `BOUNDARY`, a word of its own; a space follows
_FIRST = 4


class Symbols(NamedTuple):
    """Rows of symbols, laid end to end, each with a space before it.

    Args:
        symbols: int32 (B * (N + 1),).
        alone: Which of them are words of their own, bool.
        sizes: Number of bytes of each, int32; 0 of unknown ones.
        rows: Number of rows B.
    """

    symbols: tf.Tensor
    alone: tf.Tensor
    sizes: tf.Tensor
    rows: tf.Tensor


class SymbolTable:
    """Normalizes characters, and numbers those of a vocabulary.

    Args:
        characters: The characters that occur in tokens.
        mapping: The normalized text of each character that is not normalized to itself. One that
            becomes a character between two spaces, " x ", is a word of its own, and one that
            becomes " " separates words, as " " itself does.

    Raises:
        ValueError: If a normalized text has other spaces, or more characters than the character has
            bytes.

    Example:
        >>> table = SymbolTable("ab", {"A": "a", "!": " ! "})
        >>> text = b"A! b"
        >>> result = table(tf.constant([list(text)]), tf.constant([len(text)]))
        >>> result.symbols.numpy().tolist(), result.alone.numpy().astype(int).tolist()
        ([0, 4, 2, 0, 5], [0, 0, 1, 0, 0])
    """

    def __init__(self, characters: Iterable[str], mapping: Mapping[str, str]) -> None:
        self.numbers = {each: _FIRST + i for i, each in enumerate(sorted(set(characters)))}
        self.size = _FIRST + len(self.numbers)
        self._alone = np.zeros(self.size, bool)
        self._alone[[UNKNOWN_ALONE, BOUNDARY_SYMBOL]] = True
        entries: dict[tuple[int, ...], int] = {(UNKNOWN,): 0}
        of_code = np.zeros(CODE_POINTS, np.int64)
        mapping = {" ": " ", **mapping}
        for character in {*self.numbers, *mapping}:
            entry = self._of(character, mapping.get(character, character))
            of_code[ord(character)] = entries.setdefault(entry, len(entries))
        of_code[BOUNDARY_CODE] = entries.setdefault((BOUNDARY_SYMBOL, SPACE), len(entries))
        self._entry = CodePointTable(of_code)
        self._counts = smallest(np.array([len(each) for each in entries]))
        self._of_entry = [
            smallest(np.array([each[k] if k < len(each) else SPACE for each in entries]))
            for k in range(max(len(each) - each.count(SPACE) for each in entries))
        ]
        sizes = [0] * _FIRST + [len(each.encode()) for each in self.numbers]
        self._sizes = smallest(np.array(sizes))

    def _of(self, character: str, text: str) -> tuple[int, ...]:
        """The symbols of a character that is normalized to a text."""
        if text == " ":
            return (SPACE,)
        if len(text) == 3 and text[0] == text[2] == " ":
            number = self.numbers.get(text[1], UNKNOWN_ALONE)
            self._alone[number] = True
            return (number,)
        if " " in text or len(text) > len(character.encode("utf-8", "surrogatepass")):
            raise ValueError(f"{character!r} must not become {text!r}.")
        return tuple(self.numbers.get(each, UNKNOWN) for each in text)

    def __call__(self, text_bytes: tf.Tensor, lengths: tf.Tensor) -> Symbols:
        """Converts rows of UTF-8, int32 (B, N) with their lengths (B,), to symbols."""
        rows = axis_size(text_bytes, 0)
        codes, starts, _ = decoded(flattened(text_bytes, lengths))
        entry = self._entry(codes)
        count = tf.where(starts, tf.cast(tf.gather(self._counts, entry), tf.int32), 0)
        count = tf.reshape(count, [rows, -1])
        size, width = tf.size(codes), axis_size(count, 1)
        start = tf.cumsum(count, axis=1) - count + (tf.range(rows)[:, None] * width + 1)
        count, start = tf.reshape(count, [-1]), tf.reshape(start, [-1])
        symbols = tf.zeros([size + 1], tf.int32)
        for k, of_entry in enumerate(self._of_entry):
            targets = tf.where(count > k, start + k, size)
            values = tf.where(count > k, tf.cast(tf.gather(of_entry, entry), tf.int32), 0)
            symbols += tf.scatter_nd(targets[:, None], values, [size + 1])
        symbols = symbols[:-1]
        sizes = tf.cast(tf.gather(self._sizes, symbols), tf.int32)
        return Symbols(symbols, tf.gather(self._alone, symbols), sizes, rows)
