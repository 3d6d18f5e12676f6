"""The files of the byte-level BPE tokenizers of GPT-2 and BART checkpoints, read and written."""

from typing import Any

from zoo.errors import UserError
from zoo.lines import to_lines
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.vocabulary import pieces_by_id, refuse_added_tokens
from zoo.text.byte_bpe import ByteBPETokenizer

MASK = "<mask>"
UNKNOWN = "<unk>"  # in BART's vocabulary, although bytes can represent any text

# Keys of `tokenizer.json` that affect ids, and their only supported values.
_PLAIN = {
    "continuing_subword_prefix": "",
    "end_of_word_suffix": "",
    "byte_fallback": False,
    "ignore_merges": False,
    "dropout": None,
}


def read_tokenizer(checkpoint: Checkpoint, special_tokens: dict[str, int]) -> ByteBPETokenizer:
    """Reads the tokenizer from `tokenizer.json`, or from `vocab.json` and `merges.txt`.

    Args:
        checkpoint: The checkpoint.
        special_tokens: Ids of the special tokens, by field of `SpecialTokens`.

    Raises:
        UserError: If it is not a byte-level BPE tokenizer, or has more tokens than the embedding
            has rows.
    """
    checkpoint.require("tokenizer.json", "vocab.json")
    whole = checkpoint.json("tokenizer.json", default={})
    if whole:
        ids, merges = _of_tokenizer_json(whole)
        refuse_added_tokens(checkpoint, ids, special_tokens.values())
    else:
        ids = checkpoint.json("vocab.json")
        refuse_added_tokens(checkpoint, ids, special_tokens.values())
        ids |= checkpoint.json("added_tokens.json", default={})
        lines = checkpoint.lines("merges.txt")
        merges = lines[1:] if lines[0].startswith("#version") else lines
    settings = checkpoint.json("tokenizer_config.json", default={})
    for name in ("add_prefix_space", "add_bos_token", "add_eos_token"):
        if settings.get(name):
            raise UserError(f"{checkpoint.folder}: {name} is not supported")
    frame = whole.get("post_processor") or {}
    if "decoder_start" not in special_tokens and _adds_special_tokens(frame):
        raise UserError(
            f"{checkpoint.folder}: tokenizer.json adds special tokens with {frame['type']}, which "
            "is not supported"
        )
    # bart-large-cnn has no row for the mask token, and does not use it.
    if MASK in ids and ids[MASK] == checkpoint.config.get("vocab_size"):
        del ids[MASK]
    vocabulary = pieces_by_id(checkpoint, ids)
    known = range(len(vocabulary))
    odd = [f"{name} = {each}" for name, each in special_tokens.items() if each not in known]
    if odd:
        raise UserError(
            f"{checkpoint.folder}: {odd[0]} is not an id of its {len(vocabulary)} tokens"
        )
    if UNKNOWN in ids:
        special_tokens = {**special_tokens, "unknown": ids[UNKNOWN]}
    return ByteBPETokenizer(vocabulary, merges, special_tokens)


def _adds_special_tokens(frame: dict[str, Any]) -> bool:
    """Whether the post-processor adds special tokens to texts."""
    if frame.get("type") == "TemplateProcessing":
        return any("SpecialToken" in part for part in frame["single"])
    return frame.get("type", "ByteLevel") != "ByteLevel"


def _of_tokenizer_json(whole: dict[str, Any]) -> tuple[dict[str, int], list[str]]:
    model, splitter = whole["model"], whole.get("pre_tokenizer") or {}
    # Old files, such as GPT-2's, have no type; only BPE has merges.
    kind = model.get("type") or ("BPE" if "merges" in model else None)
    if (kind, splitter.get("type")) != ("BPE", "ByteLevel"):
        raise UserError(
            f"tokenizer.json has the model {kind} and the pre-tokenizer {splitter.get('type')}; "
            "expected BPE and ByteLevel"
        )
    odd = [key for key, plain in _PLAIN.items() if (model.get(key) or plain) != plain]
    odd += ["normalizer"] if whole.get("normalizer") else []
    odd += ["add_prefix_space"] if splitter.get("add_prefix_space") else []
    odd += [] if splitter.get("use_regex", True) else ["use_regex"]
    if odd:
        raise UserError(f"tokenizer.json: {', '.join(odd)} is not supported")
    ids = model["vocab"] | {each["content"]: each["id"] for each in whole.get("added_tokens", [])}
    # Older files have "left right", newer ones ["left", "right"].
    merges = [each if isinstance(each, str) else " ".join(each) for each in model["merges"]]
    return ids, merges


def tokenizer_files(
    tokenizer: ByteBPETokenizer, tokenizer_class: str, max_length: int, **special: str
) -> dict[str, Any]:
    """The files of a tokenizer, by name, as Hugging Face's library reads them.

    Args:
        tokenizer: The tokenizer.
        tokenizer_class: The class of the tokenizer in that library.
        max_length: Number of positions of the model.
        **special: Special tokens by their keys in `tokenizer_config.json`.
    """
    facts = tokenizer.facts()
    return {
        "vocab.json": {piece: number for number, piece in enumerate(facts["vocabulary"])},
        "merges.txt": to_lines(["#version: 0.2", *facts["merges"]]),
        "tokenizer_config.json": {
            "tokenizer_class": tokenizer_class,
            "add_prefix_space": False,
            "model_max_length": max_length,
            **special,
        },
    }
