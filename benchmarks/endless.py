"""A Transformer of random weights that never ends its output, so that every call is equal work."""

from types import SimpleNamespace
from typing import Any

import numpy as np
from zoo.tasks.serving import text_signatures

from zoo.models.create import create_model
from zoo.text.special_tokens import END, OURS

VOCABULARY = 8000
LENGTHS = {"source": 32, "target": 64}


class EndlessTranslator:
    """A task as export reads it, from ids to ids.

    With the output of the last norm raised by one in every feature and the end token's embedding
    the opposite of that, the end token's logit is far below all others, whatever came before.

    Args:
        preset: Size of the Transformer.
        batches: Batch sizes it is verified with.
    """

    max_new_tokens = LENGTHS["target"]
    codec = None  # no text
    tokenizer = SimpleNamespace(special_tokens=OURS)

    def __init__(self, preset: str, batches: tuple[int, ...]) -> None:
        self.model = create_model(
            "transformer",
            preset,
            source_vocabulary_size=VOCABULARY,
            target_vocabulary_size=VOCABULARY,
        )
        self.batches = batches
        self.export_config = {"benchmark": "decoding", "preset": preset}
        _jitter(self.model)
        gamma, beta = self.model.decoder[-1].residuals[-1].weights
        gamma.assign(np.ones(gamma.shape))
        beta.assign(np.ones(beta.shape))
        table = self.model.target_embedding.embeddings
        rows = np.array(table)
        rows[END] = -0.1
        table.assign(rows)

    def signatures(self, strings: bool, litert: bool = False, **generation: Any) -> dict[str, Any]:
        found = text_signatures(self, strings=False, **generation)
        return {"serving_default": found["serving_default"]}

    def probes(self) -> dict[str, list[dict[str, np.ndarray]]]:
        return {"serving_default": [{"token_ids": source_ids(rows)} for rows in self.batches]}


def _jitter(model: Any) -> None:
    """Moves biases off zero, which a converter would leave out."""
    random = np.random.default_rng(0)
    for weight in model.weights:
        if weight.dtype == "float32" and "kernel" not in weight.path:
            weight.assign_add(random.normal(scale=0.01, size=weight.shape))


def source_ids(rows: int) -> np.ndarray:
    """Random sentences (B, 32) without special tokens."""
    random = np.random.default_rng(rows)
    return random.integers(END + 1, VOCABULARY, (rows, LENGTHS["source"]), "int32")
