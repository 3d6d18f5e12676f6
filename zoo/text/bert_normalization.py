"""BERT's normalization of characters."""

import functools
import unicodedata

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
    every = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    every.remove(separator)
    changed = normalizer.normalize_str(separator.join(every)).translate(isolated())
    pairs = zip(every, changed.split(separator), strict=True)
    return {old: new for old, new in pairs if old != new}


def isolated() -> dict[int, str]:
    """Maps whitespace to a space, and punctuation to itself between two spaces."""
    from tokenizers import pre_tokenizers

    splitter, replacements = pre_tokenizers.BertPreTokenizer(), {}
    for code in range(0x110000):
        if unicodedata.category(chr(code)) in _PART_OF_WORD:
            continue
        pieces = splitter.pre_tokenize_str(f"a{chr(code)}a")
        if len(pieces) > 1:
            replacements[code] = f" {chr(code)} " if len(pieces) == 3 else " "
    return replacements
