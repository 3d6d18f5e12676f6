"""The special tokens of a checkpoint: their names, and how a mask stands in a text."""

from collections.abc import Mapping
from typing import Any

from zoo.errors import UserError
from zoo.pretrained.checkpoint import CONFIG, Checkpoint

# Field of `SpecialTokens` -> (key of the token in `tokenizer_config.json`, default token).
SpecialNames = Mapping[str, tuple[str, str]]
# The special tokens of fairseq.
FAIRSEQ: SpecialNames = {
    "pad": ("pad_token", "<pad>"),
    "unknown": ("unk_token", "<unk>"),
    "start": ("cls_token", "<s>"),
    "end": ("sep_token", "</s>"),
    "mask": ("mask_token", "<mask>"),
}
CONFIGURED, MAP = "tokenizer_config.json", "special_tokens_map.json"


def special_names(checkpoint: Checkpoint, tokens: SpecialNames) -> dict[str, str]:
    """The name of each special token.

    Args:
        checkpoint: The checkpoint.
        tokens: The key of each token in `tokenizer_config.json` or `special_tokens_map.json`, and
            its name if neither has it, by field of `SpecialTokens`.

    Raises:
        UserError: If a name is not a text.
    """
    given = {**checkpoint.json(MAP, default={}), **checkpoint.json(CONFIGURED, default={})}
    names = {}
    for field, (key, usual) in tokens.items():
        name = given.get(key) or usual
        name = name.get("content") if isinstance(name, dict) else name
        if not isinstance(name, str):
            raise UserError(f"{checkpoint.folder}: {key} must be a text, got {name!r:.40}")
        names[field] = name
    return names


def check_padding(checkpoint: Checkpoint, pad: int) -> None:
    """Refuses a padding token that is not that of `config.json`, of which positions depend.

    Raises:
        UserError: If it is another.
    """
    configured = checkpoint.config.get("pad_token_id", pad)
    if configured != pad:
        raise UserError(
            f"{checkpoint.folder / CONFIG}: pad_token_id = {configured!r:.40}, but the padding "
            f"token of the tokenizer is {pad}"
        )


def check_frame(
    checkpoint: Checkpoint,
    frame: dict[str, Any],
    start: tuple[str, int],
    end: tuple[str, int],
) -> None:
    """Refuses other special tokens around texts than those of RoBERTa.

    Args:
        checkpoint: The checkpoint.
        frame: The post-processor of `tokenizer.json`, or nothing.
        start: Name and id of the start token.
        end: Those of the end token.

    Raises:
        UserError: If there are others.
    """
    different = [key for key, token in (("cls", start), ("sep", end)) if frame.get(key) != [*token]]
    if frame and (frame.get("type") != "RobertaProcessing" or different):
        raise UserError(
            f"{checkpoint.folder}: tokenizer.json adds special tokens with {frame.get('type')}, "
            f"expected RobertaProcessing with {start[0]!r:.80} and {end[0]!r:.80}"
        )


def mask_strips(checkpoint: Checkpoint, mask: str) -> bool:
    """Whether whitespace before a mask is part of it, as in RoBERTa's original tokenizer.

    Raises:
        UserError: If whitespace behind a mask is, or a mask within a word is none.
    """
    settings = checkpoint.json(CONFIGURED, default={})
    tokens = [settings.get("mask_token"), *(settings.get("added_tokens_decoder") or {}).values()]
    tokens.append(checkpoint.json(MAP, default={}).get("mask_token"))
    tokens += checkpoint.json("tokenizer.json", default={}).get("added_tokens", [])
    for token in tokens:
        if isinstance(token, dict) and token.get("content") == mask:
            odd = next((key for key in ("rstrip", "single_word") if token.get(key)), None)
            if odd is not None:
                raise UserError(f"{checkpoint.folder}: {odd} of {mask!r:.80} is not supported")
            return bool(token.get("lstrip"))
    return True


def written_mask(mask: str, strips: bool) -> dict[str, Any]:
    """A mask token as `tokenizer_config.json` has it."""
    flags = dict.fromkeys(("single_word", "rstrip", "normalized"), False)
    return {"__type": "AddedToken", "content": mask, "lstrip": strips, "special": True, **flags}
