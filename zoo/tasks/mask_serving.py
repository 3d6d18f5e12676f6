"""What a task that fills masks shows to export: signatures, as plain data."""

from typing import Any

import tensorflow as tf
from keras import ops

from zoo.tasks.serving import IDS, TEXTS, Signatures


def mask_signatures(task: Any, strings: bool, litert: bool = False) -> Signatures:
    """The signatures of a `MaskedLM`.

    `tokens`: token_ids (B, T) -> `token_ids` (B, T, K), the most probable ones at each mask, and
    their `scores` (B, T, K), both 0 elsewhere. `serving_default`: `text` (B,), each mask a word
    of its own, -> `text`, the masks filled by the most probable tokens, and `score` (B,), the
    product of their probabilities; or without strings the same as `tokens`.

    Args:
        task: The task.
        strings: Whether text goes in and comes out.
        litert: Join text by the operators that LiteRT has.

    Outputs: By name: `function`, `inputs`, and the stages `before`, `core` and `after` of text.
    """
    codec = task.codec

    def tokens(token_ids: Any) -> dict[str, Any]:
        return task.fillings(token_ids)

    def filled(token_ids: Any) -> dict[str, Any]:
        found = task.fillings(token_ids, top=1)
        best, scores = found["token_ids"][:, :, 0], found["scores"][:, :, 0]
        token_ids = token_ids[:, : codec.limit]
        is_mask = ops.greater(best, 0)
        return {
            "token_ids": ops.where(is_mask, best, token_ids),
            "score": ops.exp(ops.sum(ops.log(ops.where(is_mask, scores, 1.0)), axis=1)),
        }

    def before(text: Any) -> dict[str, Any]:
        return {"token_ids": codec.encode(text)}

    def after(token_ids: Any, score: Any) -> dict[str, Any]:
        room = codec.limit - tf.shape(token_ids)[1]
        # Of known length, as LiteRT must know how many pieces are joined.
        ids = tf.reshape(tf.pad(token_ids, [[0, 0], [0, room]]), [-1, codec.limit])
        return {"text": codec.decode(ids, for_litert=litert), "score": score}

    def texts(text: Any) -> dict[str, Any]:
        return after(**filled(**before(text)))

    ids_only = {"function": tokens, "inputs": IDS}
    if not strings:
        return {"serving_default": ids_only}
    stages = {"before": before, "core": filled, "after": after}
    return {
        "serving_default": {"function": texts, "inputs": TEXTS, **stages},
        "tokens": ids_only,
    }
