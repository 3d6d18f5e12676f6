"""Checks of a checkpoint's vocabulary: ids without gaps, and no added tokens."""

from collections.abc import Iterable
from typing import Any

from zoo.errors import UserError
from zoo.pretrained.checkpoint import CONFIG, Checkpoint


def refuse_added_tokens(
    checkpoint: Checkpoint, base: Iterable[str], special: Iterable[int]
) -> None:
    """Refuses added tokens, which Hugging Face's tokenizers would match anywhere in a text.

    Special tokens are allowed: they are used by their ids and never read from text.

    Args:
        checkpoint: The checkpoint.
        base: The vocabulary without added tokens.
        special: Ids of the special tokens of the task.

    Raises:
        UserError: If there is an added token that is not special.
    """
    base, known = set(base), set(special)
    added = [
        each["content"]
        for each in checkpoint.json("tokenizer.json", default={}).get("added_tokens", [])
        if not each["special"] and each["id"] not in known
    ]
    settings = checkpoint.json("tokenizer_config.json", default={})
    named = {**checkpoint.json("special_tokens_map.json", default={}), **settings}
    named_special = {content_of(each) for key, each in named.items() if key.endswith("_token")}
    named_special |= {content_of(each) for each in named.get("additional_special_tokens") or []}
    for number, each in settings.get("added_tokens_decoder", {}).items():
        if each.get("special"):
            named_special.add(each["content"])
        elif int(number) not in known:
            added.append(each["content"])
    # This file does not specify which of its tokens are special.
    for content, number in checkpoint.json("added_tokens.json", default={}).items():
        if content not in base | named_special and number not in known:
            added.append(content)
    if added:
        raise UserError(
            f"{checkpoint.folder}: the added token {added[0]!r} is not supported, since it is not "
            "a special token"
        )


def pieces_by_id(checkpoint: Checkpoint, ids: dict[str, int]) -> list[str]:
    """The tokens of a vocabulary in the order of their ids, one for each row of the embedding.

    Raises:
        UserError: If the ids are not 0, 1, 2, ..., or there are more tokens than embedding rows.
    """
    if not all(type(number) is int for number in ids.values()):
        raise UserError(f"{checkpoint.folder}: the ids of the vocabulary are not integers")
    pieces = sorted(ids, key=ids.__getitem__)
    if [ids[piece] for piece in pieces] != list(range(len(ids))):
        raise UserError(f"{checkpoint.folder}: the ids of the vocabulary are not 0, 1, 2, ...")
    return with_unused_rows(checkpoint, pieces)


def with_unused_rows(checkpoint: Checkpoint, vocabulary: list[str]) -> list[str]:
    """The vocabulary with a placeholder for each unused row of the embedding.

    Raises:
        UserError: If there are more tokens than rows.
    """
    rows = checkpoint.config.get("vocab_size")
    if rows is None:
        raise UserError(f"{checkpoint.folder / CONFIG} lacks 'vocab_size'")
    if len(vocabulary) > rows:
        raise UserError(
            f"{checkpoint.folder}: the vocabulary has {len(vocabulary)} tokens, but the embedding "
            f"has only {rows} rows"
        )
    return vocabulary + [_unused(number) for number in range(len(vocabulary), rows)]


def used(vocabulary: list[str]) -> list[str]:
    """The vocabulary without the placeholders of `with_unused_rows`."""
    count = len(vocabulary)
    while count and vocabulary[count - 1] == _unused(count - 1):
        count -= 1
    return vocabulary[:count]


def _unused(number: int) -> str:
    return f"[unused-row-{number}]"


def content_of(token: Any) -> Any:
    """The text of a token, which is either a string or a dictionary of properties."""
    return token.get("content") if isinstance(token, dict) else token
