"""The most probable tokens in the place of masks."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import keras
import numpy as np
from keras import ops

from zoo.data_statistics import collecting
from zoo.errors import UserError
from zoo.preprocessing.text import TextPreprocessor
from zoo.serving.inference import Program, Tensors
from zoo.text.special_tokens import SpecialTokens

TOP = 5  # number of tokens that artifacts return for each mask
IMPOSSIBLE = -1e9


class Filling(NamedTuple):
    """A candidate for a mask: the token, its probability, the text with the token, and its id."""

    token: str
    score: float
    text: str
    token_id: int


def best_tokens(model: keras.Model, special: SpecialTokens, inputs: Tensors, top: int) -> Tensors:
    """The most probable tokens at each mask, best first; zeros elsewhere; in `keras.ops`.

    Args:
        model: A model with the output `mlm_logits` (B, T, V).
        special: The special tokens of the vocabulary, which fill no mask.
        inputs: The inputs of the model.
        top: Number of tokens K for each mask.

    Returns:
        `token_ids`, int32 (B, T, K), and their probabilities, `scores` (B, T, K).
    """
    logits = model(inputs)["mlm_logits"]
    excluded = np.zeros(logits.shape[-1], "float32")
    excluded[list(special.ids)] = IMPOSSIBLE
    scores, best = ops.top_k(ops.softmax(logits + excluded, axis=-1), min(top, logits.shape[-1]))
    masks = ops.expand_dims(ops.equal(inputs["token_ids"], special.mask), -1)
    return {
        "token_ids": ops.where(masks, ops.cast(best, "int32"), 0),
        "scores": ops.where(masks, scores, 0.0),
    }


def fill_mask(
    preprocessor: TextPreprocessor, program: Program, raw: Mapping[str, Sequence[str]], top: int
) -> list[list[Filling]]:
    """The most probable tokens for each mask of a text, best first.

    Args:
        preprocessor: Texts to ids and back.
        program: Computes `best_tokens`.
        raw: The raw input: one text with masks.
        top: Number of tokens for each mask.

    Raises:
        UserError: If there is no mask within the maximum length.
    """
    with collecting("fill_mask"):
        ids: Any = preprocessor.read(raw)["token_ids"]
    tokenizer = preprocessor.tokenizer
    masks = np.flatnonzero(ids[0] == tokenizer.special_tokens.mask)
    if not len(masks):
        raise UserError(
            f"the text has no {tokenizer.mask_name} in its first {preprocessor.max_length} tokens"
        )
    outputs = program({"token_ids": ids}, top=top)
    tokens, scores = outputs["token_ids"][0], outputs["scores"][0]
    fillings = []
    for mask in masks:
        filled = np.repeat(ids, len(tokens[mask]), axis=0)
        filled[:, mask] = tokens[mask]
        texts = [each.decode(errors="replace") for each in preprocessor.detokenize(filled).numpy()]
        pieces = [tokenizer.vocabulary[i] for i in tokens[mask]]
        rows = zip(pieces, scores[mask].tolist(), texts, tokens[mask].tolist(), strict=True)
        fillings.append([Filling(*row) for row in rows])
    return fillings
