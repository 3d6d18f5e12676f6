"""The differences of GGUF files of Gemma: names, keys, normalizations and the tokenizer."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from zoo.errors import UserError
from zoo.pretrained.byte_fallback_vocabulary import DECODER, SPACES, SPLIT
from zoo.pretrained.byte_splitters import before_text

ARCHITECTURES = {"gemma2": "Gemma2ForCausalLM", "gemma3": "Gemma3ForCausalLM"}
OF_LAYERS = {  # names without the number of the layer, in place of those of Llama
    "post_attention_layernorm.weight": "post_attention_norm.weight",
    "pre_feedforward_layernorm.weight": "ffn_norm.weight",
    "post_feedforward_layernorm.weight": "post_ffw_norm.weight",
}
CONFIG = {  # keys in `config.json` -> keys in a GGUF file, behind the name of the architecture
    "sliding_window": "attention.sliding_window",
    "sliding_window_pattern": "attention.sliding_window_pattern",
    "attn_logit_softcapping": "attn_logit_softcapping",
    "final_logit_softcapping": "final_logit_softcapping",
    "rope_local_base_freq": "rope.freq_base_swa",
}
# Of the largest models, known by their number of layers, scores are scaled by the width over the
# number of heads, and not by the size of each, which no field says.
LARGEST = {"gemma2": 46, "gemma3": 62}
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6  # types of tokens


def config_of(kind: str, config: Mapping[str, Any], scaling: Mapping[str, Any]) -> dict[str, Any]:
    """Further entries of `config.json`.

    Args:
        kind: The architecture.
        config: The entries that were read.
        scaling: The scaling of the rotary positions of Gemma 3, maybe none.
    """
    scalar: Any = config["head_dim"]
    heads, width = config["num_attention_heads"], config["hidden_size"]
    if config["num_hidden_layers"] == LARGEST[kind] and heads and width:
        scalar = width / heads
    more = {} if scalar is None else {"query_pre_attn_scalar": scalar}
    if kind == "gemma3" and scaling:
        more["rope_scaling"] = dict(scaling)
    return {"model_type": "gemma3_text" if kind == "gemma3" else kind, **more}


def tokenizer_json(
    path: Path,
    pieces: Sequence[str],
    scores: Sequence[float],
    types: Sequence[int],
    start: int | None,
) -> dict[str, Any]:
    """The content of a `tokenizer.json`.

    Args:
        path: The file, for messages.
        pieces: The tokens in the order of their ids.
        scores: Their scores.
        types: Their types.
        start: Id of the token that is put before each text; None without one.

    Raises:
        UserError: If there are not as many scores and types as tokens.
    """
    if not len(pieces) == len(scores) == len(types):
        raise UserError(
            f"{path} has {len(pieces)} tokens, {len(scores)} scores and {len(types)} types"
        )
    ids = {piece: number for number, piece in enumerate(pieces)}
    known = [
        (piece, float(score))
        for piece, score, type_ in zip(pieces, scores, types, strict=True)
        if type_ in (NORMAL, USER_DEFINED)
    ]
    unknown = next((pieces[number] for number, kind in enumerate(types) if kind == UNKNOWN), None)
    frame = None
    if start is not None:
        frame = {"type": "TemplateProcessing", "single": before_text(pieces[start])}
    return {
        "model": {
            "type": "BPE",
            "byte_fallback": True,
            "unk_token": unknown,
            "vocab": ids,
            "merges": merges_of(ids, known),
        },
        "normalizer": SPACES,
        "pre_tokenizer": SPLIT,
        "decoder": DECODER,
        "post_processor": frame,
        "added_tokens": [
            {"id": number, "content": piece, "special": type_ != USER_DEFINED}
            for number, (piece, type_) in enumerate(zip(pieces, types, strict=True))
            if type_ in (UNKNOWN, CONTROL, USER_DEFINED)
        ],
    }


def merges_of(ids: Mapping[str, int], scored: Sequence[tuple[str, float]]) -> list[list[str]]:
    """The merges of a vocabulary with scores, in the order of Hugging Face's library.

    Source: SentencePiece merges the pair whose token has the highest score.

    Args:
        ids: The id of each token.
        scored: The tokens that are merged, with their scores.

    Example:
        >>> merges_of({"a": 0, "b": 1, "ab": 2, "aab": 3}, [("ab", -1.0), ("aab", -2.0)])
        [['a', 'b'], ['a', 'ab']]
    """
    merges = []
    for piece, score in scored:
        cuts = [(piece[:at], piece[at:]) for at in range(1, len(piece))]
        pairs = [(ids[a], ids[b], a, b) for a, b in cuts if a in ids and b in ids]
        merges += [(score, len(a), len(b), a, b) for _, _, a, b in sorted(pairs)]
    merges.sort(key=lambda merge: merge[:3], reverse=True)
    return [[a, b] for *_, a, b in merges]
