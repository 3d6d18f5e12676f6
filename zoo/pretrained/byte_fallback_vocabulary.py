"""Gemma's tokenizer, read from the `tokenizer.json` of a checkpoint and written to one."""

from typing import Any

from zoo.data_statistics import warn_once
from zoo.errors import UserError
from zoo.pretrained.byte_splitters import before_text
from zoo.pretrained.byte_vocabulary import added_special_tokens
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.vocabulary import pieces_by_id, used
from zoo.text.byte_fallback_bpe import SPACE, ByteFallbackBPETokenizer

FILE = "tokenizer.json"
PAD, END, START = 0, 1, 2  # default ids
END_OF_TURN = "<end_of_turn>"  # with which the answers of chat models end
SPACES = {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}
# It finds no spaces, which were replaced.
SPLIT = {
    "type": "Split",
    "pattern": {"String": " "},
    "behavior": "MergedWithPrevious",
    "invert": False,
}
DECODER = {
    "type": "Sequence",
    "decoders": [
        {"type": "Replace", "pattern": {"String": SPACE}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
    ],
}
# Keys of the model that affect ids, and their only supported values.
_PLAIN = {
    "type": "BPE",
    "byte_fallback": True,
    "dropout": None,
    "continuing_subword_prefix": None,
    "end_of_word_suffix": None,
    "ignore_merges": False,
}
_FLAGS = ("single_word", "lstrip", "rstrip", "normalized")  # which no added token may have


def read_tokenizer(
    checkpoint: Checkpoint, special_tokens: dict[str, int]
) -> ByteFallbackBPETokenizer:
    """Reads the tokenizer from `tokenizer.json`.

    Args:
        checkpoint: The checkpoint.
        special_tokens: Ids of the special tokens, by field of `SpecialTokens`.

    Raises:
        UserError: If it is not Gemma's tokenizer, or has more tokens than the embedding has rows.
    """
    checkpoint.require(FILE)
    try:
        return _read(checkpoint, checkpoint.json(FILE), special_tokens)
    except UserError as error:
        raise UserError(f"{checkpoint.folder / FILE}: {error}") from None
    except (AttributeError, KeyError, TypeError, ValueError):
        raise UserError(f"{checkpoint.folder / FILE} is not a valid tokenizer file") from None


def _read(
    checkpoint: Checkpoint, whole: dict[str, Any], special_tokens: dict[str, int]
) -> ByteFallbackBPETokenizer:
    model = whole["model"]
    odd = [key for key, value in _PLAIN.items() if (model.get(key) or value) != value]
    odd += [] if model.get("byte_fallback") else ["byte_fallback"]
    odd += [] if whole.get("normalizer") == SPACES else ["normalizer"]
    odd += [] if whole.get("pre_tokenizer") in (None, SPLIT) else ["pre_tokenizer"]
    if odd:
        raise UserError(
            f"{', '.join(dict.fromkeys(odd))} is not supported; expected BPE with byte_fallback, "
            "which replaces spaces, as of Gemma"
        )
    added, rows = whole.get("added_tokens") or [], checkpoint.config.get("vocab_size")
    # Gemma 3 has a token of images for which text models have no row.
    if rows is not None:
        added = [each for each in added if each["id"] < rows or not each["special"]]
    for each in added:
        flag = next((flag for flag in _FLAGS if each.get(flag)), None)
        if flag is not None and not each["special"]:
            raise UserError(f"{flag} of the added token {each['content']!r:.40} is not supported")
    ids = {**model["vocab"], **{each["content"]: each["id"] for each in added}}
    vocabulary = pieces_by_id(checkpoint, ids)
    special = {name: number for name, number in special_tokens.items() if number >= 0}
    unknown = model.get("unk_token")
    if unknown in ids:
        special = {"unknown": ids[unknown], **special}
    odd = [f"{name} = {each}" for name, each in special.items() if each >= len(vocabulary)]
    if odd:
        raise UserError(f"{odd[0]} is not an id of its {len(vocabulary)} tokens")
    of_frame = [
        [ids.get(piece) for piece in pieces]
        for pieces in added_special_tokens(whole.get("post_processor") or {})
    ]
    if of_frame not in ([[], []], [[special["start"]], []]):
        raise UserError(
            f"special tokens are added with {whole['post_processor']['type']}, which is not "
            "supported but for the start token before a text"
        )
    settings = checkpoint.json("tokenizer_config.json", default={})
    if settings.get("add_eos_token"):
        raise UserError("add_eos_token of tokenizer_config.json is not supported")
    merges = [each if isinstance(each, str) else " ".join(each) for each in model["merges"]]
    known = {*special.values()}
    marked = known | {each["id"] for each in added if each["special"]}
    return ByteFallbackBPETokenizer(
        vocabulary,
        merges,
        special,
        added=sorted(marked),
        whole=sorted(each["id"] for each in added if each["id"] not in marked),
        adds_start=bool(of_frame[0]) or bool(settings.get("add_bos_token")),
    )


def special_tokens(checkpoint: Checkpoint) -> dict[str, int]:
    """The special tokens of a language model.

    Of several end tokens, as chat models have, it is the one that ends an answer.
    """
    generation = checkpoint.json("generation_config.json", default={})
    several = generation.get("eos_token_id", checkpoint.config.get("eos_token_id"))
    end: Any = None
    if isinstance(several, list) and len(several) > 1:
        added = checkpoint.json(FILE, default={}).get("added_tokens") or []
        of_turn = [each["id"] for each in added if each.get("content") == END_OF_TURN]
        end = next((each for each in of_turn if each in several), None)
    if end is None:
        end = checkpoint.special_token("eos_token_id", END)
    else:
        warn_once(f"an answer ends with {END_OF_TURN}; the other end tokens do not end it")
    start: Any = checkpoint.special_token("bos_token_id", START)
    special: dict[str, int] = {"start": start, "end": end}
    pad: Any = checkpoint.special_token("pad_token_id", PAD)
    return special if pad in (None, -1, *special.values()) else {**special, "pad": pad}


def tokenizer_files(tokenizer: ByteFallbackBPETokenizer, max_length: int) -> dict[str, Any]:
    """The files of a tokenizer, by name, as Hugging Face's library reads them.

    Args:
        tokenizer: The tokenizer.
        max_length: Number of positions of the model.
    """
    special, names = tokenizer.special_tokens, tokenizer.vocabulary
    tokens = {"bos_token": special.start, "eos_token": special.end}
    tokens |= {"pad_token": special.pad, "unk_token": special.unknown}
    whole = tokenizer_json(tokenizer)
    if tokenizer.adds_start:
        start = names[special.start]
        second = [{"Sequence": {"id": "B", "type_id": 1}}]
        marked = [{"SpecialToken": {"id": start, "type_id": 1}}]
        whole["post_processor"] = {
            "type": "TemplateProcessing",
            "single": before_text(start),
            "pair": [*before_text(start), *marked, *second],
            "special_tokens": {
                start: {"id": start, "ids": [special.start], "tokens": [start]},
            },
        }
    return {
        FILE: whole,
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "add_bos_token": tokenizer.adds_start,
            "model_max_length": max_length,
            **{key: names[number] for key, number in tokens.items() if number >= 0},
        },
    }


def tokenizer_json(tokenizer: ByteFallbackBPETokenizer) -> dict[str, Any]:
    """The content of a `tokenizer.json` that adds no special tokens to texts."""
    facts, names = tokenizer.facts(), used(tokenizer.vocabulary)
    special = {*tokenizer.marked, *tokenizer.special_tokens.ids}
    special = {each for each in special if each < len(names)}
    added = sorted(special | {*facts.get("whole", ())})
    unknown = tokenizer.special_tokens.unknown
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": each,
                "content": names[each],
                **dict.fromkeys(_FLAGS, False),
                "special": each in special,
            }
            for each in added
        ],
        "normalizer": SPACES,
        "pre_tokenizer": SPLIT,
        "post_processor": None,
        "decoder": DECODER,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": names[unknown] if unknown >= 0 else None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": True,
            "byte_fallback": True,
            "ignore_merges": False,
            "vocab": {piece: number for number, piece in enumerate(names)},
            "merges": [merge.split(" ") for merge in facts["merges"]],
        },
    }
