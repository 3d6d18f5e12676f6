"""The parts of `tokenizer.json` around byte-level BPE, which split texts and frame their ids."""

from typing import Any

from zoo.text.pretokenize import GPT2, LLAMA3, QWEN2

DIGITS = {"type": "Digits", "individual_digits": True}
NFC = {"type": "NFC"}  # the normalizer of Qwen's
# How newer tokenizers split texts into words, by our name of it.
REGEXES = {
    pattern: (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|" + digits + "|"
        r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    for pattern, digits in ((LLAMA3, r"\p{N}{1,3}"), (QWEN2, r"\p{N}"))
}


def splitter_of(given: dict[str, Any]) -> tuple[dict[str, Any], bool, str]:
    """What splits words into bytes, whether each digit is a word, and how texts are split."""
    parts = given.get("pretokenizers")
    if not isinstance(parts, list) or len(parts) != 2:
        return given, False, GPT2
    first, last = parts
    if first == DIGITS:
        return last, True, GPT2
    for pattern, regex in REGEXES.items():
        if first == _isolated(regex):
            return last, False, pattern
    return given, False, GPT2


def _isolated(regex: str) -> dict[str, Any]:
    split = {"type": "Split", "pattern": {"Regex": regex}}
    return {**split, "behavior": "Isolated", "invert": False}


def splitter_json(split_digits: bool, pattern: str) -> dict[str, Any]:
    """The pre-tokenizer of a `tokenizer.json`.

    Args:
        split_digits: Whether each digit is a word of its own.
        pattern: How texts are split into words; see `begins_words`.
    """
    last = byte_level(pattern == GPT2)
    if not split_digits and pattern == GPT2:
        return last
    first = DIGITS if split_digits else _isolated(REGEXES[pattern])
    return {"type": "Sequence", "pretokenizers": [first, last]}


def before_text(token: str) -> list[dict[str, Any]]:
    """The template of a `tokenizer.json` that puts a token before each text."""
    types = {"type_id": 0}
    return [{"SpecialToken": {"id": token, **types}}, {"Sequence": {"id": "A", **types}}]


def byte_level(use_regex: bool = True) -> dict[str, Any]:
    """What splits words into bytes, maybe after GPT-2's pattern splits texts into words."""
    plain = {"add_prefix_space": False, "trim_offsets": True}
    return {"type": "ByteLevel", **plain, "use_regex": use_regex}
