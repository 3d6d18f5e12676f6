"""The files of the byte-level BPE tokenizers of GPT-2 and BART checkpoints, read and written."""

from collections.abc import Iterable, Sequence
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
        ids, merges, split_digits = _of_tokenizer_json(whole)
        added = [each["content"] for each in whole.get("added_tokens", [])]
        refuse_added_tokens(checkpoint, ids, special_tokens.values())
    else:
        split_digits, added = False, []
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
    # In files without a list of added tokens, they are the special ones.
    marked = sorted({*special_tokens.values(), *(ids[each] for each in added if each in ids)})
    return ByteBPETokenizer(vocabulary, merges, special_tokens, split_digits, marked)


def special_tokens(checkpoint: Checkpoint, end: int) -> dict[str, int]:
    """The special tokens of a language model, without one of padding that equals another.

    Args:
        checkpoint: The checkpoint.
        end: The id of the end token, if the checkpoint does not say it.
    """
    last: Any = checkpoint.special_token("eos_token_id", end)
    first: Any = checkpoint.special_token("bos_token_id", last)
    special: dict[str, int] = {"start": first, "end": last}
    pad: Any = checkpoint.special_token("pad_token_id")
    return special if pad in (None, -1, *special.values()) else {**special, "pad": pad}


def _adds_special_tokens(frame: dict[str, Any]) -> bool:
    """Whether the post-processor adds special tokens to texts."""
    if frame.get("type") == "TemplateProcessing":
        return any("SpecialToken" in part for part in frame["single"])
    return frame.get("type", "ByteLevel") != "ByteLevel"


def _of_tokenizer_json(whole: dict[str, Any]) -> tuple[dict[str, int], list[str], bool]:
    """The ids, the merges, and whether each digit is a word of its own."""
    model, splitter = whole["model"], whole.get("pre_tokenizer") or {}
    parts = splitter.get("pretokenizers")
    digits = {"type": "Digits", "individual_digits": True}
    split_digits = False
    if isinstance(parts, list) and len(parts) == 2 and parts[0] == digits:
        split_digits, splitter = True, parts[1]
    # Old files, such as GPT-2's, have no type; only BPE has merges.
    kind = model.get("type") or ("BPE" if "merges" in model else None)
    if (kind, splitter.get("type")) != ("BPE", "ByteLevel"):
        raise UserError(
            f"tokenizer.json has the model {kind} and the pre-tokenizer {splitter.get('type')}; "
            "expected BPE and ByteLevel, or Digits and ByteLevel"
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
    return ids, merges, split_digits


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
    if tokenizer.split_digits:  # which the other two files cannot say
        whole = tokenizer_json(facts["vocabulary"], facts["merges"], special.values(), True)
        settings["tokenizer_class"] = "PreTrainedTokenizerFast"
        return {"tokenizer.json": whole, "tokenizer_config.json": settings}
    return {
        "vocab.json": vocabulary,
        "merges.txt": to_lines(["#version: 0.2", *facts["merges"]]),
        "tokenizer_config.json": settings,
    }


def tokenizer_json(
    vocabulary: Sequence[str],
    merges: Sequence[str],
    special: Iterable[str],
    split_digits: bool = False,
) -> dict[str, Any]:
    """The content of the `tokenizer.json` of a byte-level tokenizer.

    Args:
        vocabulary: The tokens in the order of their ids.
        merges: Pairs of tokens, "left right".
        special: Tokens that are found in texts before these are split.
        split_digits: Whether each digit is a word of its own.
    """
    ids = {piece: number for number, piece in enumerate(vocabulary)}
    byte_level = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": True,
    }
    digits = {"type": "Digits", "individual_digits": True}
    several = {"type": "Sequence", "pretokenizers": [digits, byte_level]}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": ids[piece], "content": piece, **flags, "special": True}
            for piece in sorted(set(special), key=ids.__getitem__)
        ],
        "normalizer": None,
        "pre_tokenizer": several if split_digits else byte_level,
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": ids,
            "merges": [merge.split(" ") for merge in merges],
        },
    }
