"""What a task that writes text shows to export: signatures and probes, as plain data."""

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
from keras import ops

from zoo.decoding.beam import EarlyStopping
from zoo.decoding.generate import generate
from zoo.decoding.logits_processors import Words
from zoo.text.special_tokens import SpecialTokens

Signatures = dict[str, dict[str, Any]]
IDS = {"token_ids": ((None, None), "int32")}
TEXTS = {"text": ((None,), "string")}


def text_signatures(
    task: Any,
    strings: bool,
    max_new_tokens: int | None = None,
    beams: int = 1,
    length_penalty: float = 1.0,
    early_stopping: EarlyStopping = False,
    no_repeat_ngram: int = 0,
    min_new_tokens: int = 0,
    bad_words: Words = (),
    litert: bool = False,
) -> Signatures:
    """The signatures of a task whose model is a `Decoder`.

    `tokens`: token_ids (B, S) -> `token_ids` (B, L), `lengths` (B,), `scores` (B,); with beams also
    `beam_ids` (B, N, L) and `beam_scores` (B, N). `attention`, of a model that attends: token_ids
    -> `token_ids` and one output of maps (B, H, L, S) a layer. `serving_default`: `text` (B,) ->
    `text` and `score`, or without strings the same as `tokens`.

    Args:
        task: The task.
        strings: Whether text goes in and comes out.
        max_new_tokens: Greatest number of tokens L to generate.
        beams: Width of the search.
        length_penalty: Exponent of the length that scores are divided by.
        early_stopping: Take the first outputs that end; "never": go on until no better one can
            follow.
        no_repeat_ngram: No run of so many tokens comes twice; 0 lets them.
        min_new_tokens: So many new tokens come before the end token.
        bad_words: Ids of what never stands in an output.
        litert: Join text by the operators that LiteRT has.

    Outputs: By name: `function`, `inputs`, `pad`, and the stages `before`, `core` and `after` of
        text.

    Raises:
        UserError: If LiteRT cannot make ids of text.
    """
    if strings and litert:
        task.tokenizer.check_litert()
    model, codec, special_tokens = task.model, task.codec, task.tokenizer.special_tokens
    length = task.max_new_tokens if max_new_tokens is None else max_new_tokens

    @once_for_the_same
    def tokens(token_ids: Any) -> dict[str, Any]:
        found = generate(
            model,
            token_ids,
            length,
            beams,
            length_penalty,
            early_stopping=early_stopping,
            no_repeat_ngram=no_repeat_ngram,
            min_new_tokens=min_new_tokens,
            bad_words=bad_words,
            special_tokens=special_tokens,
        )
        best = {
            "token_ids": found.token_ids[:, 0],
            "lengths": found.lengths[:, 0],
            "scores": found.scores[:, 0],
        }
        if beams == 1:
            return best
        return {**best, "beam_ids": found.token_ids, "beam_scores": found.scores}

    def attention(token_ids: Any) -> dict[str, Any]:
        ids = tokens(token_ids)["token_ids"]
        return {"token_ids": ids, **maps_of(model, token_ids, ids, special_tokens)}

    def before(text: Any) -> dict[str, Any]:
        return {"token_ids": codec.encode(text)}

    def after(token_ids: Any, scores: Any, **_: Any) -> dict[str, Any]:
        token_ids = tf.ensure_shape(token_ids, [None, length])
        text = codec.decode(token_ids, for_litert=litert)
        if not litert:
            # Bytes that were written one by one need not be text; LiteRT's files write none.
            text = tf.strings.unicode_transcode(text, "UTF-8", "UTF-8", errors="replace")
        return {"text": text, "score": scores}

    def texts(text: Any) -> dict[str, Any]:
        return after(**tokens(**before(text)))

    ids_only = {"function": tokens, "inputs": IDS, "pad": special_tokens.pad}
    shown = {"attention": {**ids_only, "function": attention}} if model.attends else {}
    if not strings:
        return {"serving_default": ids_only, **shown}
    stages = {"before": before, "core": tokens, "after": after}
    return {
        "serving_default": {"function": texts, "inputs": TEXTS, **stages},
        "tokens": ids_only,
        **shown,
    }


def once_for_the_same(function: Callable[[Any], dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """The function, which outside of graphs computes but once for the same ids.

    Each of the signatures is asked about the same probes, and decoding eagerly is slow.
    """
    known: dict[tuple, dict[str, Any]] = {}

    def remembering(token_ids: Any) -> dict[str, Any]:
        if not tf.executing_eagerly():
            return function(token_ids)
        ids = ops.convert_to_numpy(token_ids)
        key = (ids.shape, ids.tobytes())
        if key not in known:
            known[key] = function(token_ids)
        return dict(known[key])

    return remembering


def maps_of(
    model: Any, source_ids: Any, target_ids: Any, special_tokens: SpecialTokens
) -> dict[str, Any]:
    """Where the model looked for each of the target tokens it generated, (B, H, L, S) a layer.

    Rows beyond the end of an output are zero.
    """
    # The token before each: the end token of a row stands where nothing follows.
    start = ops.full_like(target_ids[:, :1], special_tokens.first_read)
    before = ops.concatenate([start, target_ids[:, :-1]], axis=1)
    written = ops.not_equal(target_ids, special_tokens.pad)
    maps = model.attention_maps(
        {
            **model.inputs_for(source_ids, special_tokens),
            "target_ids": before,
            "target_mask": ops.not_equal(before, special_tokens.pad),
        }
    )
    rows = ops.expand_dims(ops.expand_dims(written, 1), -1)
    return {name: ops.where(rows, weights, 0.0) for name, weights in maps.items()}


def text_probes(task: Any, examples: list[str]) -> dict[str, list[dict[str, np.ndarray]]]:
    """Inputs to verify an artifact with: real texts, and those that tend to break things.

    Args:
        task: The task.
        examples: Texts of the kind it was trained on.
    """
    odd = ["", " ", "é ü ß 你好 🙂", "a", " ".join(examples[:1] * task.codec.limit) or "a"]
    texts = [np.array(examples[:5] + odd, object), np.array(examples[:1] or ["a"], object)]
    ids = [ops.convert_to_numpy(task.codec.encode(tf.constant(list(batch)))) for batch in texts]
    return {
        "serving_default": [{"text": batch} for batch in texts],
        "tokens": [{"token_ids": batch} for batch in ids],
    }
