"""The files of ModernBERT's byte-level BPE tokenizers, read and written."""

from typing import Any

from zoo.errors import UserError
from zoo.pretrained.byte_splitters import NFC
from zoo.pretrained.byte_vocabulary import read_vocabulary, tokenizer_of
from zoo.pretrained.byte_vocabulary_files import tokenizer_json
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.encoders.family import TokenizerFiles
from zoo.pretrained.encoders.special_names import (
    SpecialNames,
    check_padding,
    mask_strips,
    special_names,
    written_mask,
)
from zoo.text.byte_bpe import ByteBPETokenizer

FILE = "tokenizer.json"
NAMES: SpecialNames = {
    "pad": ("pad_token", "[PAD]"),
    "unknown": ("unk_token", "[UNK]"),
    "start": ("cls_token", "[CLS]"),
    "end": ("sep_token", "[SEP]"),
    "mask": ("mask_token", "[MASK]"),
}
REQUIRED = ("pad", "start", "end")


def read_tokenizer(checkpoint: Checkpoint, lowercase: bool) -> ByteBPETokenizer:
    """Reads the tokenizer from `tokenizer.json`.

    Args:
        checkpoint: The checkpoint.
        lowercase: Whether texts would have to be lowercased, which is not supported.

    Raises:
        UserError: If it is not ModernBERT's tokenizer, or has more tokens than the embedding has
            rows.
    """
    if lowercase:
        raise UserError(
            f"{checkpoint.folder}: do_lower_case is not supported with a byte-level BPE tokenizer"
        )
    checkpoint.require(FILE)
    read, names = read_vocabulary(checkpoint, nfc=True), special_names(checkpoint, NAMES)
    for field in REQUIRED:
        if names[field] not in read.ids:
            raise UserError(
                f"{checkpoint.folder}: the vocabulary lacks the token {names[field]!r:.80}"
            )
    special = {field: read.ids[name] for field, name in names.items() if name in read.ids}
    check_padding(checkpoint, special["pad"])
    start, end = names["start"], names["end"]
    frames = [_pieces(read.frame.get(which)) for which in ("single", "pair")]
    expected = [[start, "A", end], [start, "A", end, "B", end]]
    if read.frame and (read.frame.get("type") != "TemplateProcessing" or frames != expected):
        raise UserError(
            f"{checkpoint.folder / FILE}: special tokens must be {start!r:.40} before a text and "
            f"{end!r:.40} behind each"
        )
    how: dict[str, Any] = {"prefix_space": read.prefix_space}
    if "mask" in special:
        how["mask_strips"] = mask_strips(checkpoint, names["mask"])
    return tokenizer_of(checkpoint, read, special, finds_added=True, **how)


def _pieces(template: Any) -> list[str]:
    """The special tokens and the names of the texts of a template."""
    return [next(iter(part.values()))["id"] for part in template or ()]


def written_tokenizer(tokenizer: ByteBPETokenizer, max_length: int) -> dict[str, Any]:
    """The files of a tokenizer, by name, as Hugging Face's library reads them."""
    special, facts = tokenizer.special_tokens, tokenizer.facts()
    names = facts["vocabulary"]
    ids = {
        "cls_token": special.start,
        "sep_token": special.end,
        "pad_token": special.pad,
        "unk_token": special.unknown,
    }
    tokens = {key: names[number] for key, number in ids.items() if number >= 0}
    marked = {*tokens.values(), *(names[number] for number in tokenizer.marked)}
    how = tokenizer.split_digits, tokenizer.pattern, tokenizer.ignore_merges
    whole = tokenizer_json(names, facts["merges"], marked, *how)
    for number in facts.get("whole", ()):
        flags = dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
        token = {"id": number, "content": names[number], **flags}
        whole["added_tokens"].append({**token, "normalized": True, "special": False})
    whole["added_tokens"].sort(key=lambda each: each["id"])
    for each in whole["added_tokens"]:
        if each["id"] == special.mask:
            each["lstrip"] = tokenizer.mask_strips
    whole["normalizer"] = NFC
    whole["pre_tokenizer"]["add_prefix_space"] = tokenizer.prefix_space
    whole["post_processor"] = _around(names[special.start], names[special.end], special)
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": max_length,
        **tokens,
    }
    if special.mask >= 0:
        settings["mask_token"] = written_mask(tokenizer.mask_name, tokenizer.mask_strips)
    return {FILE: whole, "tokenizer_config.json": settings}


def _around(start: str, end: str, special: Any) -> dict[str, Any]:
    """The post-processor that puts special tokens around texts."""
    first = [_token(start), _text("A"), _token(end)]
    return {
        "type": "TemplateProcessing",
        "single": first,
        "pair": [*first, _text("B"), _token(end)],
        "special_tokens": {
            name: {"id": name, "ids": [number], "tokens": [name]}
            for name, number in ((start, special.start), (end, special.end))
        },
    }


def _token(name: str) -> dict[str, Any]:
    return {"SpecialToken": {"id": name, "type_id": 0}}


def _text(name: str) -> dict[str, Any]:
    return {"Sequence": {"id": name, "type_id": 0}}


BYTE_BPE = TokenizerFiles(ByteBPETokenizer, read_tokenizer, written_tokenizer)
