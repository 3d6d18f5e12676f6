"""The encoding of words of another alphabet, by how frequent their letters are."""

import math
import re

from zoo.data.readers.alphabets import share_of_letters

# The letters of Russian and others, Greek, and Hebrew, the most frequent first; and their vowels.
CYRILLIC = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїјєђљњћџѓќѕґ", "оеаиуяыюэёіїє"
GREEK = "αοιετσνηυρπκμλςόίάδέγήχθύφώβξζψϊΐϋΰ", "αοιεηυόίάέήύώωϊΐϋΰ"
HEBREW = "יוהלארתבשמםנכןדעחפקסטגזצךףץ", ""
# How likely each encoding is where nothing else says so, as a logarithm.
ENCODINGS = {
    "cp1251": (CYRILLIC, 0.0),
    "koi8_r": (CYRILLIC, -1.0),
    "koi8_u": (CYRILLIC, -1.5),
    "cp866": (CYRILLIC, -1.5),
    "iso8859_5": (CYRILLIC, -3.0),
    "mac_cyrillic": (CYRILLIC, -4.0),
    "cp1253": (GREEK, 0.0),
    "cp737": (GREEK, -1.5),
    "cp1255": (HEBREW, -0.5),
    "cp862": (HEBREW, -1.5),
}
MOST = 1 << 12  # bytes of different lines that are looked at
CAPITALS = -2.0  # of words in capitals
LETTERS = re.compile(r"[^\W\d_]+")
# Of two letters one behind the other, by the number of vowels among them; about 0 in all.
PAIRS = (-0.2, 0.3, -1.0)


def encoding_by_frequency(content: bytes) -> str | None:
    """The encoding of words that have letters of one other alphabet only; else None.

    Source: Borodovsky and Gusein-Zade 1989 (the frequency of a letter by its rank).
    Formula: `p(r) = (ln(n + 1) - ln r) / n` of the letter of rank r among n

    Args:
        content: The bytes.

    Example:
        >>> encoding_by_frequency("отзыв;оценка".encode("koi8_r"))
        'koi8_r'
        >>> encoding_by_frequency("שאלה;תשובה".encode("cp1255"))
        'cp1255'
        >>> encoding_by_frequency("été".encode("cp1252"))
    """
    content = b"\n".join(dict.fromkeys(content.split(b"\n")))[:MOST]
    likely = {}
    for name, ((ranked, vowels), usual) in ENCODINGS.items():
        text = content.decode(name, "replace")
        known = all(x.isascii() or x.lower() in ranked for x in text)
        if known and share_of_letters(content, name) == 1:
            likely[name] = usual + _likelihood(text, ranked, vowels)
    return max(likely, key=likely.__getitem__, default=None)


def _likelihood(text: str, ranked: str, vowels: str) -> float:
    """The logarithm of the probability of the letters beyond ASCII of a text."""
    count, total = len(ranked), 0.0
    words = [word for word in LETTERS.findall(text) if not word.isascii()]
    for word in map(str.lower, words):
        for letter in word:
            total += math.log((math.log(count + 1) - math.log(ranked.find(letter) + 1)) / count)
        for pair in zip(word, word[1:], strict=False) if vowels else ():
            total += PAIRS[sum(letter in vowels for letter in pair)]
    return total + CAPITALS * any(len(word) > 1 and word.isupper() for word in words)
