"""The vocabularies of BERT checkpoints."""

from collections import Counter
from typing import Any

from zoo.errors import UserError
from zoo.pretrained.checkpoint import Checkpoint
from zoo.text.bert_wordpiece import BertWordPieceTokenizer

# What a WordPiece may say of itself in `tokenizer.json`, beyond its vocabulary, that changes ids.
_PLAIN: dict[str, dict[str, Any]] = {
    "model": {"continuing_subword_prefix": "##", "unk_token": "[UNK]"},
    "normalizer": {"clean_text": True},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
}
CLASSES = ("BertTokenizer", "BertTokenizerFast")
# How texts are read before they are split: our names, theirs, and what they are if nothing is said.
NAMES = {
    "lowercase": "do_lower_case",
    "strip_accents": "strip_accents",
    "split_chinese": "tokenize_chinese_chars",
}
DEFAULTS = {"lowercase": True, "strip_accents": None, "split_chinese": True}


def read_tokenizer(checkpoint: Checkpoint, lowercase: bool = False) -> BertWordPieceTokenizer:
    """The tokenizer of a checkpoint: `tokenizer.json`, or `vocab.txt` with its configuration.

    Args:
        checkpoint: The checkpoint.
        lowercase: Whether case goes even where the tokenizer keeps it; accents stay then.

    Raises:
        UserError: If it is none of BERT's, or of another size than the embedding.
    """
    checkpoint.require("tokenizer.json", "vocab.txt")
    whole = checkpoint.json("tokenizer.json", default={})
    settings = checkpoint.json("tokenizer_config.json", default={})
    if whole:
        ids, how = _of_tokenizer_json(whole)
        vocabulary = checkpoint.pieces(ids)
    else:
        if settings.get("tokenizer_class", CLASSES[0]) not in CLASSES:
            raise UserError(
                f"{checkpoint.folder}: the tokenizer {settings['tokenizer_class']} is not "
                f"supported; only {CLASSES[0]}"
            )
        pieces, how = checkpoint.lines("vocab.txt"), dict(DEFAULTS)
        twice = [piece for piece, count in Counter(pieces).items() if count > 1]
        if twice:
            raise UserError(f"{checkpoint.folder}: vocab.txt has the piece {twice[0]!r} twice")
        vocabulary = checkpoint.with_spare_rows(pieces)
    checkpoint.refuse_added(vocabulary, ())
    # What is said beside a `tokenizer.json` goes before what it says itself.
    how |= {ours: settings[theirs] for ours, theirs in NAMES.items() if theirs in settings}
    if lowercase and not how["lowercase"]:
        how |= {"lowercase": True, "strip_accents": bool(how["strip_accents"])}
    return BertWordPieceTokenizer(vocabulary, **how)


def _of_tokenizer_json(whole: dict[str, Any]) -> tuple[dict[str, int], dict[str, Any]]:
    parts = {name: whole.get(name) or {} for name in _PLAIN}
    model, normalizer = parts["model"], parts["normalizer"]
    # The first files, bert-base-uncased's among them, do not name what alone has this limit.
    kind = model.get("type") or ("WordPiece" if "max_input_chars_per_word" in model else None)
    if (kind, normalizer.get("type")) != ("WordPiece", "BertNormalizer"):
        raise UserError(
            f"tokenizer.json is {kind} after {normalizer.get('type')}; expected BERT's WordPiece"
        )
    for name, facts in _PLAIN.items():
        for key, plain in facts.items():
            if parts[name].get(key, plain) != plain:
                raise UserError(
                    f"tokenizer.json: the {name}'s {key} = {parts[name][key]!r} is not supported; "
                    f"only {plain!r}"
                )
    added = {token["content"]: token["id"] for token in whole.get("added_tokens", [])}
    return model["vocab"] | added, {
        "lowercase": normalizer["lowercase"],
        "strip_accents": normalizer["strip_accents"],
        "split_chinese": normalizer["handle_chinese_chars"],
    }


def tokenizer_files(tokenizer: BertWordPieceTokenizer, max_length: int) -> dict[str, Any]:
    """The files that Hugging Face's library reads a tokenizer from."""
    facts, marks = tokenizer.facts(), tokenizer.special_tokens
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
