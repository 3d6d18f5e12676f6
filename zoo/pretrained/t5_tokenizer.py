"""The files of T5's unigram tokenizers, read and written."""

from typing import Any

from zoo.errors import UserError
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.encoders.special_names import SpecialNames, check_padding, special_names
from zoo.pretrained.unigram_files import tokenizer_json
from zoo.pretrained.unigram_vocabulary import FILE, read_unigram
from zoo.text.unigram import UnigramTokenizer

NAMES: SpecialNames = {
    "pad": ("pad_token", "<pad>"),
    "end": ("eos_token", "</s>"),
    "unknown": ("unk_token", "<unk>"),
}


def read_tokenizer(checkpoint: Checkpoint) -> UnigramTokenizer:
    """Reads the tokenizer from `tokenizer.json`.

    Raises:
        UserError: If it is not T5's tokenizer, or has more tokens than the embedding has rows.
    """
    read, names = read_unigram(checkpoint), special_names(checkpoint, NAMES)
    try:
        special = {field: read.id_of(name) for field, name in names.items()}
        end = names["end"]
        if read.around not in (None, ([], [end], [end])):
            raise UserError(f"special tokens must be {end!r:.40} behind each text, and no others")
        if special["unknown"] != read.unknown:
            raise UserError(f"unk_id must be {special['unknown']}, got {read.unknown}")
        check_padding(checkpoint, special["pad"])
        ends = checkpoint.special_token("eos_token_id", special["end"])
        if ends != special["end"]:
            raise UserError(f"eos_token_id must be {special['end']}, got {ends}")
        start = checkpoint.special_token("decoder_start_token_id", special["pad"])
        if start is None or not 0 <= start < len(read.pieces):
            raise UserError(f"decoder_start_token_id must be an id of a token, got {start}")
        special["start"] = start
        how = {"only_spaces": read.only_spaces}
        return UnigramTokenizer(read.pieces, read.scores, special, read.charsmap, **how)
    except UserError as error:
        raise UserError(f"{checkpoint.folder / FILE}: {error}") from None


def written_tokenizer(tokenizer: UnigramTokenizer, max_length: int) -> dict[str, Any]:
    """The files of a tokenizer, by name, as Hugging Face's library reads them."""
    special, names = tokenizer.special_tokens, tokenizer.vocabulary
    ids = {"eos_token": special.end, "pad_token": special.pad, "unk_token": special.unknown}
    return {
        FILE: tokenizer_json(tokenizer, ([], [special.end], [special.end])),
        "tokenizer_config.json": {
            "tokenizer_class": "T5Tokenizer",
            "model_max_length": max_length,
            "extra_ids": sum(name.startswith("<extra_id_") for name in names),
            **{key: names[number] for key, number in ids.items()},
        },
    }
