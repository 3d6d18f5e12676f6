"""Code points as symbols of a vocabulary, after SentencePiece's normalization."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.text.charsmap import LONGEST_KEY, Charsmap
from zoo.text.graphemes import BEFORE, CONTROL, JOINS, PLAIN, grapheme_kinds
from zoo.text.programs.code_points import CODE_POINTS, CodePointTable, smallest
from zoo.text.programs.expanded import Expanded
from zoo.text.programs.ragged import axis_size, flattened, packed
from zoo.text.programs.symbols import BOUNDARY_SYMBOL, SPACE, UNKNOWN, Symbols
from zoo.text.programs.utf8 import BOUNDARY_CODE, decoded
from zoo.text.shift import moved

_FIRST = 4
_NO_CODE = 0xD801  # before each row, and behind it: a surrogate, which no text has
_NO_PAIR = -1


class CharsmapSymbols:
    """Normalizes characters by a map, and numbers those of a vocabulary.

    Args:
        characters: The characters that occur in tokens.
        charsmap: What is replaced.
        separators: The characters that separate words after that.
        space: The character of the vocabulary before each word.
        ends_with_space: Whether whitespace behind the last word is `space`, a word of its own.

    Example:
        >>> of_map = Charsmap({"A": "aa", ",": ""}, {"e\u0301": "b"})
        >>> table = CharsmapSymbols("ab▁", of_map, " ", "▁")
        >>> text = "A,e\u0301 ?".encode()
        >>> result = table(tf.constant([list(text)]), tf.constant([len(text)]))
        >>> result.symbols.numpy().tolist()
        [0, 4, 4, 5, 0, 1]
    """

    def __init__(
        self,
        characters: Iterable[str],
        charsmap: Charsmap,
        separators: Iterable[str],
        space: str,
        ends_with_space: bool = False,
    ) -> None:
        self.numbers = {each: _FIRST + i for i, each in enumerate(sorted({*characters, space}))}
        self.size = _FIRST + len(self.numbers)
        self._space, self._ends_with_space = self.numbers[space], ends_with_space
        of_text = {**self.numbers, **dict.fromkeys(separators, SPACE)}
        entries: dict[tuple[int, ...], int] = {(UNKNOWN,): 0, (): 1}

        def entry(text: str) -> int:
            symbols = tuple(of_text.get(each, UNKNOWN) for each in text)
            return entries.setdefault(symbols, len(entries))

        of_code, replaced = np.zeros(CODE_POINTS, np.int64), np.zeros(CODE_POINTS, np.int64)
        for character in {*of_text, *charsmap.characters}:
            of_code[ord(character)] = entry(charsmap.characters.get(character, character))
        replaced[[ord(each) for each in charsmap.characters]] = 1
        of_code[BOUNDARY_CODE] = entries.setdefault((BOUNDARY_SYMBOL, SPACE), len(entries))
        of_code[_NO_CODE] = entries[()]
        kinds = grapheme_kinds().copy()
        kinds[[BOUNDARY_CODE, _NO_CODE]] = CONTROL
        self._entry = CodePointTable(of_code)
        self._replaced = CodePointTable(replaced * 4 + kinds)
        self._pairs(charsmap, entry)
        self._nothing, self._expanded = entries[()], Expanded([*entries], SPACE)
        # So many symbols may a byte become.
        texts = {**charsmap.characters, **charsmap.pairs}
        self._most = math.ceil(max([1, *(len(v) / len(k.encode()) for k, v in texts.items())]))

    def _pairs(self, charsmap: Charsmap, entry: Callable[[str], int]) -> None:
        """Prepares the entries of pairs: a row for each first character, a column for seconds."""
        firsts, seconds = (sorted({pair[i] for pair in charsmap.pairs}) for i in range(2))
        table = np.full((len(firsts) + 1, len(seconds) + 1), _NO_PAIR)
        tables = []
        for each in (firsts, seconds):
            of_code = np.zeros(CODE_POINTS, np.int64)
            of_code[[ord(character) for character in each]] = range(1, len(each) + 1)
            tables.append(of_code)
        for pair, text in charsmap.pairs.items():
            row, column = (of_code[ord(pair[i])] for i, of_code in enumerate(tables))
            table[row, column] = entry(text)
        self._first, self._second = (CodePointTable(each) for each in tables)
        self._columns, self._of_pair = table.shape[1], smallest(table.reshape(-1))

    def __call__(self, text_bytes: tf.Tensor, lengths: tf.Tensor) -> Symbols:
        """Converts rows of UTF-8, int32 (B, N) with their lengths (B,), to symbols."""
        rows = axis_size(text_bytes, 0)
        codes, starts, _ = decoded(flattened(text_bytes, lengths))
        bound = axis_size(text_bytes, 1)
        codes, _ = packed(codes, starts, rows, _NO_CODE, bound + 1)
        width = axis_size(codes, 1)
        codes = tf.reshape(codes, [-1])
        entries = self._entries(codes)
        most = bound * self._most + 1 if isinstance(bound, int) else None
        symbols, counts = self._expanded(tf.reshape(entries, [rows, width]), most)
        symbols = tf.reshape(tf.pad(symbols, [[0, 0], [1, 0]], constant_values=SPACE), [-1])
        if self._ends_with_space:
            symbols = self._with_last_spaces(symbols, counts, rows)
        return Symbols(symbols, tf.zeros_like(symbols, tf.bool), tf.zeros_like(symbols), rows)

    def _entries(self, codes: tf.Tensor) -> tf.Tensor:
        """The entry of each code point (M,), and nothing of those that are replaced with others."""
        facts = self._replaced(codes)
        kind, replaced = facts % 4, facts >= 4
        before = moved(kind, 1, CONTROL)
        joins = tf.equal(kind, JOINS) & tf.not_equal(before, CONTROL)
        joins |= tf.equal(before, BEFORE) & (tf.equal(kind, PLAIN) | tf.equal(kind, BEFORE))
        joins |= tf.equal(codes, ord("\n")) & tf.equal(moved(codes, 1, 0), ord("\r"))
        size = 1 + sum(tf.cast(codes >= least, tf.int32) for least in (0x80, 0x800, 0x10000))
        second, third, fourth = (moved(joins, -by, False) for by in (1, 2, 3))
        begins = ~joins & second
        two, three = begins & ~third, begins & third & ~fourth
        length = size + moved(size, -1, 0)
        short = two & (length <= LONGEST_KEY)
        short |= three & (length + moved(size, -2, 0) <= LONGEST_KEY)
        entry, pair = self._entry(codes), self._pair_entries(codes)
        whole = short & (replaced | (pair >= 0))
        entry = tf.where(short & ~replaced & (pair >= 0), pair, entry)
        gone = moved(whole, 1, False) | moved(whole & three, 2, False)
        return tf.where(gone, self._nothing, entry)

    def _pair_entries(self, codes: tf.Tensor) -> tf.Tensor:
        """The entry of each code point with the next one, or -1."""
        index = self._first(codes) * self._columns + moved(self._second(codes), -1, 0)
        return tf.cast(tf.gather(self._of_pair, index), tf.int32)

    def _with_last_spaces(self, symbols: tf.Tensor, counts: tf.Tensor, rows: Any) -> tf.Tensor:
        """The symbols with a word of its own in place of the last space of each text."""
        width = axis_size(tf.reshape(symbols, [rows, -1]), 1)
        last = tf.reshape(tf.equal(tf.range(width), counts[:, None]), [-1])
        bound = tf.equal(symbols, BOUNDARY_SYMBOL)
        last |= moved(bound, -1, False)
        first = moved(bound, 1, False)
        first |= tf.equal(tf.range(tf.size(symbols)) % width, 0)
        return tf.where(tf.equal(symbols, SPACE) & last & ~first, self._space, symbols)
