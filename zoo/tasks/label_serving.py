"""What a task that gives labels shows to export: signatures and probes, as plain data."""

from typing import Any

import numpy as np
import tensorflow as tf
from keras import ops

from zoo.errors import UserError
from zoo.tasks.serving import IDS, Signatures

TEXTS = ("text", "second")  # a pair's; a single text has the first


def label_signatures(task: Any, strings: bool, litert: bool = False) -> Signatures:
    """The signatures of a `TextClassifier`.

    `tokens`: token_ids (B, T) -> `scores` (B, C) and `class_id` (B,). `serving_default`: `text`
    (B,), and of pairs `second` (B,), -> `text`, the label, and `scores`, or without strings the
    same as `tokens`.

    Args:
        task: The task.
        strings: Whether text goes in and comes out.
        litert: Whether LiteRT is to run it.

    Outputs: By name: `function`, `inputs`, and the stages `before`, `core` and `after` of text.

    Raises:
        UserError: If texts are to be joined in LiteRT, which cannot.
    """
    if strings and litert:
        task.tokenizer.check_litert()
    if strings and litert and task.settings["pairs"]:
        raise UserError("LiteRT cannot join two texts: export pairs without strings")
    names = np.array([label.encode() for label in task.labels], object)

    def tokens(token_ids: Any) -> dict[str, Any]:
        scores = task.probabilities(token_ids)
        # top_k, as LiteRT lacks an operator that argmax is made of.
        _, best = ops.top_k(scores, 1)
        return {"scores": scores, "class_id": ops.cast(ops.squeeze(best, -1), "int32")}

    def before(text: Any, second: Any = None) -> dict[str, Any]:
        return {"token_ids": task.codec.encode(text, second)}

    def after(scores: Any, class_id: Any) -> dict[str, Any]:
        return {"text": tf.gather(tf.constant(names), class_id), "scores": scores}

    def texts(**given: Any) -> dict[str, Any]:
        return after(**tokens(**before(**given)))

    ids_only = {"function": tokens, "inputs": IDS}
    if not strings:
        return {"serving_default": ids_only}
    inputs = {name: ((None,), "string") for name in _given(task)}
    stages = {"before": before, "core": tokens, "after": after}
    return {
        "serving_default": {"function": texts, "inputs": inputs, **stages},
        "tokens": ids_only,
    }


def label_probes(task: Any, examples: list[str]) -> dict[str, list[dict[str, np.ndarray]]]:
    """Inputs to verify an artifact with: real texts, and those that tend to break things.

    Args:
        task: The task.
        examples: Texts of the kind it was trained on.
    """
    odd = ["", " ", "\u00e9 \u00fc \u00df \u4f60\u597d \U0001f642", "a"]
    batches = [np.array(examples[:5] + odd, object), np.array(["a"], object)]
    given = [dict.fromkeys(_given(task), batch) for batch in batches]
    columns = [[tf.constant(list(column)) for column in each.values()] for each in given]
    return {
        "serving_default": given,
        "tokens": [{"token_ids": task.codec.encode(*each).numpy()} for each in columns],
    }


def _given(task: Any) -> tuple[str, ...]:
    return TEXTS if task.settings["pairs"] else TEXTS[:1]
