"""The files of WordPiece tokenizers, read and written."""

from collections import Counter
from functools import partial
from typing import Any

from keras_attn.articles import with_article
from zoo.errors import UserError
from zoo.lines import to_lines
from zoo.pretrained.checkpoint import Checkpoint
from zoo.pretrained.encoders.family import TokenizerFiles
from zoo.pretrained.encoders.special_names import (
    SpecialNames,
    check_frame,
    check_padding,
    special_names,
)
from zoo.pretrained.vocabulary import pieces_by_id, refuse_added_tokens, with_unused_rows
from zoo.text.bert_wordpiece import MAX_CHARACTERS, BertWordPieceTokenizer

# Keys of `tokenizer.json` that affect ids, and their only supported values.
_PLAIN: dict[str, dict[str, Any]] = {
    "model": {
        "continuing_subword_prefix": "##",
        "unk_token": "[UNK]",
        "max_input_chars_per_word": MAX_CHARACTERS,
    },
    "normalizer": {"clean_text": True},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
}
# Classes of which the words, without special tokens, are the same ones.
CLASSES = ("BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer", "MPNetTokenizer")
# Options of the normalization: the zoo's names -> Hugging Face's names.
NAMES = {
    "lowercase": "do_lower_case",
    "strip_accents": "strip_accents",
    "split_chinese": "tokenize_chinese_chars",
}
DEFAULTS = {"lowercase": True, "strip_accents": None, "split_chinese": True}


def read_tokenizer(
    checkpoint: Checkpoint, lowercase: bool = False, tokens: SpecialNames | None = None
) -> BertWordPieceTokenizer:
    """Reads the tokenizer from `tokenizer.json`, or from `vocab.txt` and its configuration.

    Args:
        checkpoint: The checkpoint.
        lowercase: Whether to lowercase texts even if the tokenizer does not. Accents are then kept.
        tokens: The special tokens as `special_names` takes them, with two end tokens between texts,
            or None for those of BERT.

    Raises:
        UserError: If it is not such a WordPiece tokenizer, or has more tokens than the embedding
            has rows, or has a token of more than 256 bytes.
    """
    checkpoint.require("tokenizer.json", "vocab.txt")
    whole = checkpoint.json("tokenizer.json", default={})
    settings = checkpoint.json("tokenizer_config.json", default={})
    if whole:
        ids, how = _of_tokenizer_json(whole)
        vocabulary = pieces_by_id(checkpoint, ids)
    else:
        if settings.get("tokenizer_class", CLASSES[0]).removesuffix("Fast") not in CLASSES:
            raise UserError(
                f"{checkpoint.folder}: the tokenizer {settings['tokenizer_class']} is not "
                f"supported; expected {CLASSES[0]}"
            )
        pieces, how = checkpoint.lines("vocab.txt"), dict(DEFAULTS)
        twice = [piece for piece, count in Counter(pieces).items() if count > 1]
        if twice:
            raise UserError(f"{checkpoint.folder}: vocab.txt contains the token {twice[0]!r} twice")
        vocabulary = with_unused_rows(checkpoint, pieces)
    refuse_added_tokens(checkpoint, vocabulary, special=())
    # tokenizer_config.json takes precedence over tokenizer.json.
    how |= {ours: settings[theirs] for ours, theirs in NAMES.items() if theirs in settings}
    if lowercase and not how["lowercase"]:
        how |= {"lowercase": True, "strip_accents": bool(how["strip_accents"])}
    try:
        if tokens is not None:
            how["names"] = _names(checkpoint, tokens, vocabulary, whole)
        return BertWordPieceTokenizer(vocabulary, **how)
    except UserError as error:
        raise UserError(f"{checkpoint.folder}: {error}") from None


def _names(
    checkpoint: Checkpoint, tokens: SpecialNames, vocabulary: list[str], whole: dict[str, Any]
) -> dict[str, str]:
    """The names of special tokens that are not those of BERT."""
    names = special_names(checkpoint, tokens)
    if whole:
        names["unknown"] = _PLAIN["model"]["unk_token"]
    missing = next((name for name in names.values() if name not in vocabulary), None)
    if missing is not None:
        raise UserError(f"the vocabulary lacks the token {missing!r:.80}")
    check_padding(checkpoint, vocabulary.index(names["pad"]))
    start, end = ((names[each], vocabulary.index(names[each])) for each in ("start", "end"))
    check_frame(checkpoint, whole.get("post_processor") or {}, start, end)
    return {**names, "second_start": names["end"]}


def _of_tokenizer_json(whole: dict[str, Any]) -> tuple[dict[str, int], dict[str, Any]]:
    parts = {name: whole.get(name) or {} for name in _PLAIN}
    model, normalizer = parts["model"], parts["normalizer"]
    # Old files, such as bert-base-uncased's, have no type; only WordPiece has this key.
    kind = model.get("type") or ("WordPiece" if "max_input_chars_per_word" in model else None)
    if (kind, normalizer.get("type")) != ("WordPiece", "BertNormalizer"):
        raise UserError(
            f"tokenizer.json has the model {kind} and the normalizer {normalizer.get('type')}; "
            "expected WordPiece and BertNormalizer"
        )
    for name, facts in _PLAIN.items():
        for key, plain in facts.items():
            if parts[name].get(key, plain) != plain:
                raise UserError(
                    f"tokenizer.json: the {name}'s {key} = {parts[name][key]!r} is not supported; "
                    f"expected {plain!r}"
                )
    added = {token["content"]: token["id"] for token in whole.get("added_tokens", [])}
    return model["vocab"] | added, {
        "lowercase": normalizer["lowercase"],
        "strip_accents": normalizer["strip_accents"],
        "split_chinese": normalizer["handle_chinese_chars"],
    }


def of_bert(tokenizer_class: str) -> TokenizerFiles:
    """The files of BERT's tokenizer, which a class of Hugging Face's library reads."""
    return TokenizerFiles(
        BertWordPieceTokenizer, read_tokenizer, partial(tokenizer_files, tokenizer_class, True)
    )


def with_names(tokenizer_class: str, tokens: SpecialNames) -> TokenizerFiles:
    """The files of a WordPiece tokenizer with other special tokens, used as by RoBERTa."""
    return TokenizerFiles(
        BertWordPieceTokenizer,
        partial(read_tokenizer, tokens=tokens),
        partial(tokenizer_files, tokenizer_class, False),
    )


def tokenizer_files(
    tokenizer_class: str, of_bert: bool, tokenizer: BertWordPieceTokenizer, max_length: int
) -> dict[str, Any]:
    """The files of a tokenizer, by name, as Hugging Face's library reads them.

    Args:
        tokenizer_class: The class in that library.
        of_bert: Whether the special tokens must be those of BERT, or others.
        tokenizer: The tokenizer.
        max_length: Number of positions of the model.

    Raises:
        UserError: If the special tokens are of the other kind.
    """
    if tokenizer.has_names_of_bert != of_bert:
        raise UserError(
            f"{with_article(tokenizer_class)} cannot have the special tokens of this tokenizer"
        )
    facts, special = tokenizer.facts(), tokenizer.special_tokens
    names = {
        "pad_token": special.pad,
        "unk_token": special.unknown,
        "cls_token": special.start,
        "sep_token": special.end,
        "mask_token": special.mask,
    }
    return {
        "vocab.txt": to_lines(tokenizer.vocabulary),
        "tokenizer_config.json": {
            "tokenizer_class": tokenizer_class,
            "do_lower_case": facts["lowercase"],
            "strip_accents": facts["strip_accents"],
            "tokenize_chinese_chars": facts["split_chinese"],
            "model_max_length": max_length,
            **{key: tokenizer.vocabulary[number] for key, number in names.items()},
        },
    }
