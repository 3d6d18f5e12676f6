"""The files of XLM-R's unigram tokenizers, read and written."""

from functools import partial
from typing import Any

from zoo.errors import UserError
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.encoders.family import TokenizerFiles
from zoo.pretrained.encoders.special_names import (
    FAIRSEQ,
    check_padding,
    mask_strips,
    special_names,
    written_mask,
)
from zoo.pretrained.unigram_files import tokenizer_json
from zoo.pretrained.unigram_vocabulary import FILE, read_unigram
from zoo.text.unigram import UnigramTokenizer


def read_tokenizer(checkpoint: Checkpoint, lowercase: bool, pads: bool = True) -> UnigramTokenizer:
    """Reads the tokenizer from `tokenizer.json`.

    Args:
        checkpoint: The checkpoint.
        lowercase: Whether texts would have to be lowercased, which is not supported.
        pads: Whether positions depend on the id of padding in `config.json`.

    Raises:
        UserError: If it is not XLM-R's tokenizer, or has more tokens than the embedding has rows.
    """
    if lowercase:
        raise UserError(
            f"{checkpoint.folder}: do_lower_case is not supported with a unigram tokenizer"
        )
    read, names = read_unigram(checkpoint), special_names(checkpoint, FAIRSEQ)
    try:
        special = {field: read.id_of(name) for field, name in names.items()}
        start, end = names["start"], names["end"]
        if read.around not in (None, ([start], [end], [end, end])):
            raise UserError(
                f"special tokens must be {start!r:.40} before a text, {end!r:.40} behind it and "
                "twice between two"
            )
        if special["unknown"] != read.unknown:
            raise UserError(f"unk_id must be {special['unknown']}, got {read.unknown}")
        if pads:
            check_padding(checkpoint, special["pad"])
        special["second_start"] = special["end"]
        strips = mask_strips(checkpoint, names["mask"])
        how = {"only_spaces": read.only_spaces, "mask_strips": strips}
        return UnigramTokenizer(read.pieces, read.scores, special, read.charsmap, **how)
    except UserError as error:
        raise UserError(f"{checkpoint.folder / FILE}: {error}") from None


def written_tokenizer(tokenizer: UnigramTokenizer, max_length: int) -> dict[str, Any]:
    """The files of a tokenizer, by name, as Hugging Face's library reads them."""
    special, names = tokenizer.special_tokens, tokenizer.vocabulary
    ids = {
        "bos_token": special.start,
        "eos_token": special.end,
        "cls_token": special.start,
        "sep_token": special.end,
        "pad_token": special.pad,
        "unk_token": special.unknown,
    }
    around = ([special.start], [special.end], [special.end, special.end])
    return {
        FILE: tokenizer_json(tokenizer, around),
        "tokenizer_config.json": {
            "tokenizer_class": "XLMRobertaTokenizer",
            "model_max_length": max_length,
            **{key: names[number] for key, number in ids.items()},
            "mask_token": written_mask(tokenizer.mask_name, tokenizer.mask_strips),
        },
    }


def has_unigram(checkpoint: Checkpoint) -> bool:
    """Whether the tokenizer of a checkpoint is a unigram model."""
    model = checkpoint.json(FILE, default={}).get("model")
    return isinstance(model, dict) and ("unk_id" in model or model.get("type") == "Unigram")


UNIGRAM = TokenizerFiles(UnigramTokenizer, read_tokenizer, written_tokenizer)
# Of models whose positions begin with the first token, as of multilingual MiniLM.
UNIGRAM_OF_BERT = TokenizerFiles(
    UnigramTokenizer, partial(read_tokenizer, pads=False), written_tokenizer
)
