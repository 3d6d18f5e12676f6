"""Encodings of text files: what byte order marks, options and the bytes themselves say."""

import codecs
import re
from collections.abc import Iterable

from zoo.data.readers.alphabets import TYPOGRAPHY, UTF_8, encoding_by_alphabet
from zoo.data.readers.letter_frequencies import encoding_by_frequency
from zoo.errors import UserError

JAPANESE = "cp932"  # Shift JIS, as Windows has it
# Byte order marks, the longest first.
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (b"\x84\x31\x95\x33", "gb18030"),
    (codecs.BOM_UTF8, UTF_8),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Encodings that a message may name, the most usual first: those of Latin letters, and others.
LATIN = ("cp1252", "cp1250", "cp1254", "cp437", "cp850")
LETTERS = (*LATIN, "iso8859_2", "cp852")  # that are tried where others read signs inside of words
EAST = ("cp932", "euc_jp", "gb18030", "big5", "cp949")
USUAL = (
    *(*LATIN, "cp1251", "cp1253", "cp866", "koi8_r"),
    *(*EAST, "utf_16_le", "utf_16_be"),
)
ENOUGH = 1 << 16  # number of bytes from which an encoding is guessed
ALIKE = 0.02  # difference of the measured disorder up to which encodings are as likely
APOSTROPHES = "\u2019\u00b7\u00ad\u2011"  # signs that words have
SIGNS = "±¬¦§¨¶¸×÷¤¥¢£©®"  # that seldom follow a letter
_FIRST = 0xDC00  # the code point of a byte 0 that is not valid in its encoding, a surrogate
_INVALID = re.compile("[\udc00-\udcff]")


def _keep(error: UnicodeError) -> tuple[str, int]:
    """Decodes a byte that is not valid as a surrogate, which no valid text has."""
    assert isinstance(error, UnicodeDecodeError)
    return chr(_FIRST + error.object[error.start]), error.start + 1


KEEP_INVALID = "zoo.keep_invalid_bytes"  # the name of the error handler of codecs
codecs.register_error(KEEP_INVALID, _keep)


def invalid_byte(text: str, encoding: str, column: bool = False) -> str | None:
    """What is wrong with a text that was decoded with `KEEP_INVALID`; None if nothing is.

    Args:
        text: The text.
        encoding: Its encoding.
        column: Whether the text is a line, in which the byte has a column.

    Example:
        >>> invalid_byte(b"caf\\xe9".decode("utf-8", KEEP_INVALID), "utf-8", column=True)
        'byte 0xe9 at column 4 is not UTF-8'
    """
    if is_valid(text):
        return None
    match = _INVALID.search(text)
    assert match is not None
    name = "UTF-8" if encoding == UTF_8 else encoding
    where = f" at column {match.start() + 1}" if column else ""
    return f"byte 0x{ord(match[0]) - _FIRST:02x}{where} is not {name}"


def is_valid(text: str) -> bool:
    """Whether a text that was decoded with `KEEP_INVALID` has no invalid byte.

    Example:
        >>> is_valid(b"caf\\xe9".decode("utf-8", KEEP_INVALID))
        False
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_encoding(name: str) -> None:
    """Refuses an encoding that Python does not know.

    Raises:
        UserError: If it is unknown, or does not encode text.
    """
    try:
        "a".encode(name)
    except (LookupError, ValueError):
        raise UserError(
            f"the encoding {name!r} is unknown; usual ones are utf-8, utf-16, cp1252, cp1251, "
            "latin-1, shift_jis, gb18030, euc_kr and koi8-r"
        ) from None


def encoding_of(start: bytes, given: str | None = None) -> tuple[bytes, str]:
    """The byte order mark of a file, and its encoding, which the mark decides if there is one.

    Args:
        start: The first bytes of the file.
        given: The encoding of files without a mark, by default UTF-8.

    Example:
        >>> encoding_of(b"\\xff\\xfea\\0"), encoding_of(b"a,b")
        ((b'\\xff\\xfe', 'utf-16-le'), (b'', 'utf-8'))
    """
    marked = (each for each in MARKS if start.startswith(each[0]))
    return next(marked, (b"", codecs.lookup(given).name if given else UTF_8))


def wide_encoding(start: bytes) -> str | None:
    """UTF-16 or UTF-32 without a byte order mark, by the zeros among the bytes; None otherwise.

    Example:
        >>> wide_encoding("text,label".encode("utf-16-be")), wide_encoding(b"text,label")
        ('utf-16-be', None)
    """
    even, odd = (part.count(0) / max(len(part), 1) for part in (start[::2], start[1::2]))
    if min(even, odd) > 0.4 and max(even, odd) > 0.9:
        return "utf-32-le" if odd > even else "utf-32-be"
    if max(even, odd) > 0.4 and min(even, odd) < 0.1:
        return "utf-16-le" if odd > even else "utf-16-be"
    # Of letters beyond Latin, only line ends, spaces and digits have zeros.
    if max(even, odd) > 0.02 and min(even, odd) < 0.001:
        wide = "utf-16-le" if odd > even else "utf-16-be"
        text = start[: len(start) // 2 * 2].decode(wide, "replace")
        known = sum(each.isprintable() or each.isspace() for each in text)
        return wide if known > 0.99 * len(text) and "\n" in text else None
    return None


def _is_japanese(content: bytes) -> bool:
    """Whether Shift JIS reads syllables, which a guess by the letters' shapes often misses."""
    letters = [x for x in content.decode(JAPANESE, "replace") if not x.isascii()]
    return sum("\u3041" <= x <= "\u3093" for x in letters) > 0.2 * len(letters)


def _is_common_japanese(content: bytes) -> bool:
    """Whether Shift JIS reads only kana, its signs, and the more frequent half of its kanji."""
    try:
        letters = [x for x in content.decode(JAPANESE) if not x.isascii()]
    except UnicodeDecodeError:
        return False
    firsts = [letter.encode(JAPANESE)[0] for letter in letters]
    return all(0x81 <= first <= 0x83 or 0x88 <= first <= 0x97 for first in firsts)


def _odd_signs(text: str) -> int:
    """The number of signs inside of words, and of capitals after small letters, as in "trŠs"."""
    odd = 0
    for before, letter, after in zip(text, text[1:], text[2:], strict=False):
        if not letter.isascii() and before.isalpha():
            odd += after.isalpha() and not letter.isalpha() and letter not in APOSTROPHES
            odd += letter.isupper() and before.islower()
            odd += letter in SIGNS
    return odd


def _with_fewest_odd_signs(content: bytes, guessed: str) -> str:
    """Another encoding of Latin letters, if the guessed one reads odd signs and this one fewer."""
    counts: dict[str, int] = {}
    for name in (guessed, *LETTERS):
        try:
            counts.setdefault(name, _odd_signs(content.decode(name)))
        except UnicodeDecodeError:
            continue
    return min(counts, key=counts.__getitem__, default=guessed)


def _has_signs_alone(content: bytes) -> bool:
    """Whether all that is not ASCII is signs behind no letter in cp1252, such as those of money."""
    text = content.decode(USUAL[0], "replace")
    pairs = [(a, b) for a, b in zip(" " + text, text, strict=False) if not b.isascii()]
    return all(b in TYPOGRAPHY and not a.isalpha() for a, b in pairs)


def likely_encoding(lines: Iterable[bytes]) -> tuple[str | None, int]:
    """The encoding that text probably has which is not UTF-8, and the number of its invalid bytes.

    The encoding is None if it cannot be guessed, or if most of the text is UTF-8, so that single
    bytes are damaged.

    Args:
        lines: Lines of a file; those in ASCII do not count.

    Example:
        >>> likely_encoding(["Le café était très agréable.".encode("cp1252")])
        ('cp1252', 4)
    """
    from charset_normalizer import from_bytes  # takes a moment, and is seldom needed

    content = b""
    for line in lines:
        if not line.isascii():
            content += line
        if len(content) >= ENOUGH:
            break
    text = content.decode(UTF_8, KEEP_INVALID)
    invalid = len(_INVALID.findall(text))
    if sum(not x.isascii() for x in _INVALID.sub("", text)) >= invalid:
        return None, invalid
    if _has_signs_alone(content):
        return USUAL[0], invalid
    if _is_japanese(content):
        return JAPANESE, invalid
    latin = invalid < sum(x.isascii() and x.isalpha() for x in text) / 3  # a few accents
    if not latin and _is_common_japanese(content):
        return JAPANESE, invalid
    by_letters = None if latin else encoding_by_frequency(content)
    matches = from_bytes(content, cp_isolation=list(LATIN if latin else USUAL))
    best = matches.best()
    if best is None:
        return by_letters or encoding_by_alphabet(content, None), invalid
    close = [each for each in matches if each.chaos <= best.chaos + ALIKE]
    alike = {name for each in close for name in each.could_be_from_charset if name in USUAL}
    if content.decode(USUAL[0], "replace") == str(best):  # also for signs that both have
        alike.add(USUAL[0])
    likely = min(alike, key=USUAL.index)
    if by_letters is not None and likely not in EAST:
        return by_letters, invalid
    likely = _with_fewest_odd_signs(content, likely) if likely in LATIN else likely
    return encoding_by_alphabet(content, likely), invalid
