"""The files of byte-level BPE tokenizers, as Hugging Face's library reads them."""

from collections.abc import Iterable, Sequence
from typing import Any

from zoo.lines import to_lines
from zoo.pretrained.byte_splitters import NFC, before_text, byte_level, splitter_json
from zoo.text.byte_bpe import ByteBPETokenizer
from zoo.text.pretokenize import GPT2, QWEN2


def tokenizer_files(
    tokenizer: ByteBPETokenizer, tokenizer_class: str, max_length: int, **ids: int
) -> dict[str, Any]:
    """The files of a tokenizer, by name, as Hugging Face's library reads them.

    Args:
        tokenizer: The tokenizer.
        tokenizer_class: The class of the tokenizer in that library.
        max_length: Number of positions of the model.
        **ids: Ids of special tokens by their keys in `tokenizer_config.json`; -1 for none.
    """
    facts = tokenizer.facts()
    vocabulary = {piece: number for number, piece in enumerate(facts["vocabulary"])}
    special = {name: facts["vocabulary"][number] for name, number in ids.items() if number >= 0}
    settings = {
        "tokenizer_class": tokenizer_class,
        "add_prefix_space": False,
        "model_max_length": max_length,
        **special,
    }
    others = tokenizer.split_digits or tokenizer.adds_start or tokenizer.ignore_merges
    if others or tokenizer.pattern != GPT2:  # which the other files cannot say
        how = tokenizer.split_digits, tokenizer.pattern, tokenizer.ignore_merges
        whole = tokenizer_json(facts["vocabulary"], facts["merges"], special.values(), *how)
        if tokenizer.adds_start:
            start = tokenizer.special_tokens.start
            whole["post_processor"] = _before_texts(facts["vocabulary"][start], start)
            settings["add_bos_token"] = True
        settings["tokenizer_class"] = "PreTrainedTokenizerFast"
        return {"tokenizer.json": whole, "tokenizer_config.json": settings}
    return {
        "vocab.json": vocabulary,
        "merges.txt": to_lines(["#version: 0.2", *facts["merges"]]),
        "tokenizer_config.json": settings,
    }


def _before_texts(start: str, number: int) -> dict[str, Any]:
    """The post-processor that puts the start token before each text."""
    second = [
        {kind: {**each, "type_id": 1 if "Sequence" in part else 0}}
        for part in before_text(start)
        for kind, each in part.items()
    ]
    second[1]["Sequence"]["id"] = "B"
    return {
        "type": "TemplateProcessing",
        "single": before_text(start),
        "pair": [*before_text(start), *second],
        "special_tokens": {start: {"id": start, "ids": [number], "tokens": [start]}},
    }


def tokenizer_json(
    vocabulary: Sequence[str],
    merges: Sequence[str],
    special: Iterable[str],
    split_digits: bool = False,
    pattern: str = GPT2,
    ignore_merges: bool = False,
) -> dict[str, Any]:
    """The content of the `tokenizer.json` of a byte-level tokenizer.

    Args:
        vocabulary: The tokens in the order of their ids.
        merges: Pairs of tokens, "left right".
        special: Tokens that are found in texts before these are split.
        split_digits: Whether each digit is a word of its own.
        pattern: How texts are split into words; see `begins_words`.
        ignore_merges: Whether words of the vocabulary are not merged.
    """
    ids = {piece: number for number, piece in enumerate(vocabulary)}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": ids[piece], "content": piece, **flags, "special": True}
            for piece in sorted(set(special), key=ids.__getitem__)
        ],
        "normalizer": NFC if pattern == QWEN2 else None,
        "pre_tokenizer": splitter_json(split_digits, pattern),
        "post_processor": None,
        "decoder": byte_level(),
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": ignore_merges,
            "vocab": ids,
            "merges": [merge.split(" ") for merge in merges],
        },
    }
