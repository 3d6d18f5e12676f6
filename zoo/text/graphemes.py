"""The code points that are part of the grapheme of a character before them, or behind them."""

import functools
import unicodedata

import numpy as np

from zoo.text.charsmap import precompiled

_CODES = 0x110000
_CONTROLS = {"Cc", "Cf", "Zl", "Zp"}  # categories
_JOINERS = "\u200c\u200d"  # the only ones of them that are part of graphemes
# Signs before a number or a letter, which end no grapheme; `Prepend` in Unicode's
# GraphemeBreakProperty.txt, without those of four bytes, whose graphemes have more than five.
_BEFORE = (range(0x600, 0x606), (0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0xD4E))
PLAIN, JOINS, BEFORE, CONTROL = range(4)


@functools.cache
def grapheme_kinds() -> np.ndarray:
    """The kind of each code point (0x110000,).

    They are `JOINS`, what is part of the grapheme of the character before it, `BEFORE`, what is
    part of that of the character behind it, `CONTROL`, what is a grapheme of its own, and `PLAIN`.

    Source: Unicode Standard Annex 29, as `tokenizers` implements it, whose version of Unicode is
        not Python's. What makes a difference in graphemes of more than 5 bytes alone is left out.
    """
    from tokenizers import normalizers

    kinds = np.full(_CODES, PLAIN, np.uint8)
    for code in range(0x10000):
        if unicodedata.category(chr(code)) in _CONTROLS:
            kinds[code] = CONTROL
    for codes in _BEFORE:
        kinds[[*codes]] = BEFORE
    # "a" with its whole grapheme becomes "b".
    normalizer = normalizers.Precompiled(precompiled({"a": "b"}))
    surrogates = range(0xD800, 0xE000)
    every = [chr(code) for code in range(_CODES) if code not in surrogates and code != ord("\n")]
    changed = normalizer.normalize_str("\n".join("a" + each for each in every)).split("\n")
    for character, text in zip(every, changed, strict=True):
        if text == "b":
            kinds[ord(character)] = JOINS
    return kinds
