"""The files of RoBERTa's byte-level BPE tokenizers, read and written."""

from typing import Any

from zoo.errors import UserError
from zoo.pretrained.byte_vocabulary import read_vocabulary, tokenizer_of
from zoo.pretrained.byte_vocabulary_files import tokenizer_files
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.encoders.family import TokenizerFiles
from zoo.pretrained.encoders.special_names import (
    FAIRSEQ,
    check_frame,
    check_padding,
    mask_strips,
    special_names,
    written_mask,
)
from zoo.text.byte_bpe import ByteBPETokenizer

REQUIRED = ("pad", "start", "end")


def read_tokenizer(checkpoint: Checkpoint, lowercase: bool) -> ByteBPETokenizer:
    """Reads the tokenizer from `tokenizer.json`, or from `vocab.json` and `merges.txt`.

    Args:
        checkpoint: The checkpoint.
        lowercase: Whether texts would have to be lowercased, which is not supported.

    Raises:
        UserError: If it is not RoBERTa's tokenizer, or has more tokens than the embedding has rows.
    """
    if lowercase:
        raise UserError(
            f"{checkpoint.folder}: do_lower_case is not supported with a byte-level BPE tokenizer"
        )
    read = read_vocabulary(checkpoint)
    names = special_names(checkpoint, FAIRSEQ)
    for field in REQUIRED:
        if names[field] not in read.ids:
            raise UserError(
                f"{checkpoint.folder}: the vocabulary lacks the token {names[field]!r:.80}"
            )
    special = {field: read.ids[name] for field, name in names.items() if name in read.ids}
    special["second_start"] = special["end"]
    check_padding(checkpoint, special["pad"])
    marks = [(names[each], special[each]) for each in ("start", "end")]
    check_frame(checkpoint, read.frame, *marks)
    settings = checkpoint.json("tokenizer_config.json", default={})
    how = {"prefix_space": bool(settings.get("add_prefix_space", read.prefix_space))}
    if "mask" in special:
        how["mask_strips"] = mask_strips(checkpoint, names["mask"])
    return tokenizer_of(checkpoint, read, special, **how)


def written_tokenizer(tokenizer: ByteBPETokenizer, max_length: int) -> dict[str, Any]:
    """The files of a tokenizer, by name, as Hugging Face's library reads them."""
    special = tokenizer.special_tokens
    ids = {
        "bos_token": special.start,
        "eos_token": special.end,
        "cls_token": special.start,
        "sep_token": special.end,
        "pad_token": special.pad,
        "unk_token": special.unknown,
    }
    files = tokenizer_files(tokenizer, "RobertaTokenizer", max_length, **ids)
    settings = files["tokenizer_config.json"]
    settings["add_prefix_space"] = tokenizer.prefix_space
    if special.mask >= 0:
        settings["mask_token"] = written_mask(tokenizer.mask_name, tokenizer.mask_strips)
    return files


BYTE_BPE = TokenizerFiles(ByteBPETokenizer, read_tokenizer, written_tokenizer)
