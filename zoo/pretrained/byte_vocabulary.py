"""The vocabularies and tokenizers of byte-level BPE, read from the files of a checkpoint."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from zoo.data_statistics import warn_once
from zoo.errors import UserError
from zoo.pretrained.byte_splitters import NFC, splitter_of
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.vocabulary import content_of, pieces_by_id, refuse_added_tokens
from zoo.text.byte_bpe import ByteBPETokenizer
from zoo.text.pretokenize import GPT2, QWEN2

MASK = "<mask>"
UNKNOWN = "<unk>"  # in BART's vocabulary, although bytes can represent any text

NOTE = (
    "the tokenizer changes texts to Unicode's form NFC, which this library does not: give it texts "
    "in this form, as nearly all are"
)
# Keys of `tokenizer.json` that affect ids, and their only supported values.
_PLAIN = {
    "continuing_subword_prefix": "",
    "end_of_word_suffix": "",
    "byte_fallback": False,
    "dropout": None,
}


class Vocabulary(NamedTuple):
    """The vocabulary of a checkpoint.

    Args:
        ids: The id of each token, with those that were added.
        base: The tokens without those that were added, or all of them if the file has no list.
        merges: Pairs of tokens, "left right".
        added: The tokens that were added.
        split_digits: Whether each digit is a word of its own.
        pattern: How texts are split into words; see `begins_words`.
        prefix_space: Whether `tokenizer.json` puts a space before texts that begin with none.
        frame: How `tokenizer.json` adds special tokens to texts.
        ignore_merges: Whether words of the vocabulary are not merged.
        in_texts: The tokens that were added and are not special, which texts contain as a whole.
    """

    ids: dict[str, int]
    base: dict[str, int]
    merges: list[str]
    added: list[str]
    split_digits: bool = False
    pattern: str = GPT2
    prefix_space: bool = False
    frame: dict[str, Any] = {}
    ignore_merges: bool = False
    in_texts: Sequence[str] = ()


def read_vocabulary(checkpoint: Checkpoint, nfc: bool = False) -> Vocabulary:
    """Reads `tokenizer.json`, or `vocab.json` and `merges.txt`.

    Args:
        checkpoint: The checkpoint.
        nfc: Whether texts may be changed to Unicode's form NFC, as Qwen's tokenizers always do.

    Raises:
        UserError: If it is not that of a byte-level BPE tokenizer.
    """
    checkpoint.require("tokenizer.json", "vocab.json")
    whole = checkpoint.json("tokenizer.json", default={})
    if whole:
        return _of_tokenizer_json(whole, nfc)
    base = checkpoint.json("vocab.json")
    ids = base | checkpoint.json("added_tokens.json", default={})
    lines = checkpoint.lines("merges.txt")
    merges = lines[1:] if lines[0].startswith("#version") else lines
    return Vocabulary(ids, base, merges, [])


def read_tokenizer(checkpoint: Checkpoint, special_tokens: dict[str, int]) -> ByteBPETokenizer:
    """Reads the tokenizer from `tokenizer.json`, or from `vocab.json` and `merges.txt`.

    It may put the start token before each text.

    Args:
        checkpoint: The checkpoint.
        special_tokens: Ids of the special tokens, by field of `SpecialTokens`.

    Raises:
        UserError: If it is not a byte-level BPE tokenizer, has more tokens than the embedding has
            rows, or adds other special tokens.
    """
    read = read_vocabulary(checkpoint)
    settings = checkpoint.json("tokenizer_config.json", default={})
    if read.prefix_space or settings.get("add_prefix_space"):
        raise UserError(f"{checkpoint.folder}: add_prefix_space is not supported")
    if "decoder_start" in special_tokens:
        return tokenizer_of(checkpoint, read, special_tokens)
    added = added_special_tokens(read.frame)
    ids = [[read.ids.get(piece) for piece in pieces] for pieces in added]
    if ids not in ([[], []], [[special_tokens["start"]], []]):
        raise UserError(
            f"{checkpoint.folder}: tokenizer.json adds special tokens with {read.frame['type']}, "
            "which is not supported but for the start token before a text"
        )
    adds_start = bool(ids[0]) or bool(settings.get("add_bos_token"))
    return tokenizer_of(checkpoint, read, special_tokens, adds_start=adds_start)


def tokenizer_of(
    checkpoint: Checkpoint,
    read: Vocabulary,
    special_tokens: dict[str, int],
    finds_added: bool = False,
    **how: bool,
) -> ByteBPETokenizer:
    """The tokenizer with a vocabulary.

    Args:
        checkpoint: The checkpoint.
        read: Its vocabulary.
        special_tokens: Ids of the special tokens, by field of `SpecialTokens`.
        finds_added: Whether added tokens that are not special are found in texts as a whole.
        **how: Further arguments of the tokenizer.

    Raises:
        UserError: If it has tokens that are not supported, or more than the embedding has rows.
    """
    ids = read.ids
    found = read.in_texts if finds_added else []
    if not finds_added:
        refuse_added_tokens(checkpoint, read.base, special_tokens.values())
    settings = checkpoint.json("tokenizer_config.json", default={})
    for name in ("add_bos_token", "add_eos_token"):
        if settings.get(name) and not (name == "add_bos_token" and how.get("adds_start")):
            raise UserError(f"{checkpoint.folder}: {name} is not supported")
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
        special_tokens = {"unknown": ids[UNKNOWN], **special_tokens}
    # In files without a list of added tokens, they are the special ones.
    added = {ids[each] for each in read.added if each in ids and each not in found}
    marked = sorted({*special_tokens.values(), *added})
    whole = sorted({ids[each] for each in found} - {*special_tokens.values()})
    for each in whole:
        if len(vocabulary[each].encode()) < 2:
            raise UserError(
                f"{checkpoint.folder}: the added token {vocabulary[each]!r} of one byte is not "
                "supported"
            )
    how = {**how, "split_digits": read.split_digits, "ignore_merges": read.ignore_merges}
    options: dict[str, Any] = {"pattern": read.pattern, "added": marked, "whole": whole, **how}
    return ByteBPETokenizer(vocabulary, read.merges, special_tokens, **options)


def special_tokens(checkpoint: Checkpoint, end: int) -> dict[str, int]:
    """The special tokens of a language model, without one of padding that equals another.

    Of several end tokens, such as those of Llama 3's and Qwen's chat models, it is the `eos_token`
    of `tokenizer_config.json`, which ends an answer.

    Args:
        checkpoint: The checkpoint.
        end: The id of the end token, if the checkpoint does not say it.
    """
    last: Any = _end_of_answers(checkpoint)
    if last is None:
        last = checkpoint.special_token("eos_token_id", end)
    first: Any = checkpoint.special_token("bos_token_id", last)
    special: dict[str, int] = {"start": first, "end": last}
    pad: Any = checkpoint.special_token("pad_token_id")
    return special if pad in (None, -1, *special.values()) else {**special, "pad": pad}


def _end_of_answers(checkpoint: Checkpoint) -> int | None:
    """The one of several end tokens that the tokenizer names; None if it names none of them."""
    given = checkpoint.json("generation_config.json", default={})
    several = given.get("eos_token_id", checkpoint.config.get("eos_token_id"))
    if not isinstance(several, list) or len(several) < 2:
        return None
    settings = checkpoint.json("tokenizer_config.json", default={})
    name = content_of(settings.get("eos_token"))
    number = read_vocabulary(checkpoint).ids.get(name) if isinstance(name, str) else None
    if number is None or number not in several:
        return None
    warn_once(f"an answer ends with {name}; the other end tokens of the checkpoint do not end it")
    return number


def added_special_tokens(frame: dict[str, Any]) -> list[list[str]]:
    """The special tokens that the post-processor puts before and behind a text."""
    kind = frame.get("type", "ByteLevel")
    if kind == "Sequence":
        every = [added_special_tokens(part) for part in frame["processors"]]
        return [[piece for each in every for piece in each[side]] for side in (0, 1)]
    if kind == "ByteLevel":
        return [[], []]
    if kind != "TemplateProcessing":
        return [[], [kind]]  # which is no token that a text may have
    sides: list[list[str]] = [[], []]
    side = 0
    for part in frame["single"]:
        if "SpecialToken" in part:
            sides[side].append(part["SpecialToken"]["id"])
        else:
            side = 1
    return sides


def _of_tokenizer_json(whole: dict[str, Any], nfc: bool) -> Vocabulary:
    model = whole["model"]
    splitter, split_digits, pattern = splitter_of(whole.get("pre_tokenizer") or {})
    # Old files, such as GPT-2's, have no type; only BPE has merges.
    kind = model.get("type") or ("BPE" if "merges" in model else None)
    if (kind, splitter.get("type")) != ("BPE", "ByteLevel"):
        raise UserError(
            f"tokenizer.json has the model {kind} and the pre-tokenizer {splitter.get('type')}; "
            "expected BPE and ByteLevel, Digits and ByteLevel, or the pattern of Llama 3 or Qwen 2 "
            "and ByteLevel"
        )
    odd = [key for key, usual in _PLAIN.items() if (model.get(key) or usual) != usual]
    normalizer = whole.get("normalizer")
    plain = normalizer == NFC and (pattern == QWEN2 or nfc)
    odd += ["normalizer"] if normalizer and not plain else []
    odd += [] if splitter.get("use_regex", True) is (pattern == GPT2) else ["use_regex"]
    if odd:
        raise UserError(f"tokenizer.json: {', '.join(odd)} is not supported")
    if normalizer:
        warn_once(NOTE)
    ids = model["vocab"] | {each["content"]: each["id"] for each in whole.get("added_tokens", [])}
    # Older files have "left right", newer ones ["left", "right"].
    merges = [each if isinstance(each, str) else " ".join(each) for each in model["merges"]]
    added = [each["content"] for each in whole.get("added_tokens", [])]
    prefix_space, frame = bool(splitter.get("add_prefix_space")), whole.get("post_processor") or {}
    whole_words = bool(model.get("ignore_merges"))
    tokens = whole.get("added_tokens", [])
    in_texts = [each["content"] for each in tokens if not each.get("special", True)]
    how = split_digits, pattern, prefix_space, frame, whole_words, in_texts
    return Vocabulary(ids, ids, merges, added, *how)
