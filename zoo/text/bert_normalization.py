"""BERT's normalization of characters."""

import functools
import unicodedata

# Planes that no version of Unicode gives characters to, and those for private use: the code points
# of each are normalized as its first one. The last two of a plane are no characters.
ALIKE = (range(0x40000, 0xE0000), range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE))

# Unicode categories of characters that neither separate words nor are words of their own: by far
# the most characters. The others are looked up in `tokenizers`, whose version of Unicode may be
# older than Python's.
_PART_OF_WORD = {"Lu", "Ll", "Lo", "Cn", "Co", "Cs"}


@functools.cache
def normalization(
    lowercase: bool, strip_accents: bool | None, split_chinese: bool
) -> dict[str, str]:
    """The characters that BERT's normalization changes, and what they become.

    Whitespace becomes a space, and characters that are words of their own get spaces around them.
    """
    from tokenizers import normalizers

    normalizer = normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=split_chinese,
        strip_accents=strip_accents,
        lowercase=lowercase,
    )
    # Normalize all characters at once. The separator is unchanged by normalization, and no other
    # character is normalized to it.
    separator = "\u2502"
    every = [chr(code) for code in looked_up() if not 0xD800 <= code < 0xE000]
    every.remove(separator)
    changed = normalizer.normalize_str(separator.join(every)).translate(isolated())
    pairs = zip(every, changed.split(separator), strict=True)
    changes = {old: new for old, new in pairs if old != new}
    for plane in ALIKE:
        if chr(plane[0]) in changes:
            changes |= dict.fromkeys(map(chr, plane), changes[chr(plane[0])])
    return changes


def looked_up() -> list[int]:
    """The code points that are normalized one by one."""
    codes, begin = list[int](), 0
    for plane in ALIKE:
        codes += range(begin, plane.start + 1)
        begin = plane.stop
    return [*codes, *range(begin, 0x110000)]


def isolated() -> dict[int, str]:
    """Maps whitespace to a space, and punctuation to itself between two spaces."""
    from tokenizers import pre_tokenizers

    splitter, replacements = pre_tokenizers.BertPreTokenizer(), {}
    for code in looked_up():
        if unicodedata.category(chr(code)) in _PART_OF_WORD:
            continue
        pieces = splitter.pre_tokenize_str(f"a{chr(code)}a")
        if len(pieces) > 1:
            replacements[code] = f" {chr(code)} " if len(pieces) == 3 else " "
    return replacements
