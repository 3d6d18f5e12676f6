"""What a task that makes vectors shows to export: signatures, as plain data."""

from typing import Any

from zoo.tasks.serving import IDS, TEXTS, Signatures


def embedding_signatures(task: Any, strings: bool) -> Signatures:
    """The signatures of a `TextEmbedder`.

    `tokens`: token_ids (B, T) -> `embedding` (B, D). `serving_default`: `text` (B,) -> `embedding`,
    or without strings the same as `tokens`.

    Args:
        task: The task.
        strings: Whether text goes in.

    Outputs: By name: `function`, `inputs`, and the stages `before`, `core` and `after` of text.
    """

    def tokens(token_ids: Any) -> dict[str, Any]:
        return {"embedding": task.embeddings(token_ids)}

    def before(text: Any) -> dict[str, Any]:
        return {"token_ids": task.codec.encode(text)}

    def after(embedding: Any) -> dict[str, Any]:
        return {"embedding": embedding}

    def texts(text: Any) -> dict[str, Any]:
        return tokens(**before(text))

    ids_only = {"function": tokens, "inputs": IDS}
    if not strings:
        return {"serving_default": ids_only}
    stages = {"before": before, "core": tokens, "after": after}
    return {
        "serving_default": {"function": texts, "inputs": TEXTS, **stages},
        "tokens": ids_only,
    }
