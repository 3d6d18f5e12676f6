"""The vocabularies of BERT checkpoints."""

from typing import Any

from zoo.errors import UserError
from zoo.pretrained.checkpoint import Checkpoint
from zoo.text.bert_wordpiece import BertWordPieceTokenizer


def read_tokenizer(checkpoint: Checkpoint) -> BertWordPieceTokenizer:
    """The tokenizer of a checkpoint: `tokenizer.json`, or `vocab.txt` with its configuration.

    Raises:
        UserError: If it is none of BERT's, or of another size than the embedding.
    """
    whole = checkpoint.json("tokenizer.json", default={})
    if whole:
        vocabulary, how = _of_tokenizer_json(whole)
    else:
        settings = checkpoint.json("tokenizer_config.json", default={})
        vocabulary = checkpoint.lines("vocab.txt")
        how = {
            "lowercase": settings.get("do_lower_case", True),
            "strip_accents": settings.get("strip_accents"),
            "split_chinese": settings.get("tokenize_chinese_chars", True),
        }
    return BertWordPieceTokenizer(checkpoint.with_spare_rows(vocabulary), **how)


def _of_tokenizer_json(whole: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    kinds = [(whole.get(key) or {}).get("type") for key in ("model", "normalizer")]
    if kinds != ["WordPiece", "BertNormalizer"]:
        raise UserError(f"tokenizer.json is {kinds[0]} after {kinds[1]}; expected BERT's WordPiece")
    ids = whole["model"]["vocab"]
    vocabulary = sorted(ids, key=ids.__getitem__)
    normalizer = whole["normalizer"]
    return vocabulary, {
        "lowercase": normalizer["lowercase"],
        "strip_accents": normalizer["strip_accents"],
        "split_chinese": normalizer["handle_chinese_chars"],
    }


def tokenizer_files(tokenizer: BertWordPieceTokenizer, max_length: int) -> dict[str, Any]:
    """The files that Hugging Face's library reads a tokenizer from."""
    facts, marks = tokenizer.facts(), tokenizer.specials
    names = {
        "pad_token": marks.pad,
        "unk_token": marks.unknown,
        "cls_token": marks.start,
        "sep_token": marks.end,
        "mask_token": marks.mask,
    }
    return {
        "vocab.txt": "\n".join(tokenizer.vocabulary) + "\n",
        "tokenizer_config.json": {
            "tokenizer_class": "BertTokenizer",
            "do_lower_case": facts["lowercase"],
            "strip_accents": facts["strip_accents"],
            "tokenize_chinese_chars": facts["split_chinese"],
            "model_max_length": max_length,
            **{key: tokenizer.vocabulary[number] for key, number in names.items()},
        },
    }
