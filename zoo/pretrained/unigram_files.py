"""The `tokenizer.json` of unigram tokenizers, as Hugging Face's library reads it."""

from typing import Any

from zoo.pretrained.unigram_vocabulary import SPACES, SPLIT
from zoo.pretrained.vocabulary import used
from zoo.text.unigram import SPACE, UnigramTokenizer


def tokenizer_json(
    tokenizer: UnigramTokenizer,
    around: tuple[list[int], list[int], list[int]],
) -> dict[str, Any]:
    """The contents of `tokenizer.json`.

    Args:
        tokenizer: The tokenizer.
        around: Ids of the tokens before a text, behind it, and between the texts of a pair.
    """
    names = used(tokenizer.vocabulary)
    # Special tokens are those of the model, and others that are in no text.
    special = {number for number, score in enumerate(tokenizer.scores) if score is None}
    special = {each for each in special | {*tokenizer.special_tokens.ids} if each < len(names)}
    before, behind, between = around
    before_text, behind_text, between_texts = ([_token(names[i]) for i in x] for x in around)
    single = [*before_text, _text("A"), *behind_text]
    pair = [*before_text, _text("A"), *between_texts, _text("B"), *behind_text]
    mapped = tokenizer.charsmap
    steps: list[dict[str, Any]] = []
    if mapped:
        steps.append({"type": "Precompiled", "precompiled_charsmap": mapped})
    steps += [SPACES] if tokenizer.only_spaces else []
    metaspace = {
        "type": "Metaspace",
        "replacement": SPACE,
        "prepend_scheme": "always",
        "split": True,
    }
    splits: list[dict[str, Any]] = [] if tokenizer.only_spaces else [SPLIT]
    splits.append(metaspace)
    scores = [each or 0.0 for each in tokenizer.scores]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": number,
                "content": names[number],
                "single_word": False,
                "lstrip": number == tokenizer.special_tokens.mask and tokenizer.mask_strips,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for number in sorted(special)
        ],
        "normalizer": _sequence(steps, "normalizers"),
        "pre_tokenizer": _sequence(splits, "pretokenizers"),
        "post_processor": {
            "type": "TemplateProcessing",
            "single": single,
            "pair": pair,
            "special_tokens": {
                names[i]: {"id": names[i], "ids": [i], "tokens": [names[i]]}
                for i in sorted({*before, *behind, *between})
            },
        },
        "decoder": metaspace,
        "model": {
            "type": "Unigram",
            "unk_id": tokenizer.special_tokens.unknown,
            "vocab": [list(each) for each in zip(names, scores, strict=False)],
            "byte_fallback": False,
        },
    }


def _token(name: str) -> dict[str, Any]:
    return {"SpecialToken": {"id": name, "type_id": 0}}


def _text(name: str) -> dict[str, Any]:
    return {"Sequence": {"id": name, "type_id": 0}}


def _sequence(steps: list[dict[str, Any]], key: str) -> dict[str, Any] | None:
    if not steps:
        return None
    return steps[0] if len(steps) == 1 else {"type": "Sequence", key: steps}
