"""A Transformer that never generates the end token, so that every call is equal work."""

from typing import Any

import numpy as np
from keras import ops

from zoo.decoding.generate import generate
from zoo.models.create import create_model
from zoo.preprocessing.base import TensorSpec
from zoo.preprocessing.model_inputs import source_inputs
from zoo.serving.signatures import SERVING_DEFAULT, Signature
from zoo.text.special_tokens import DEFAULT_SPECIAL_TOKENS, END

VOCABULARY = 8000
LENGTHS = {"source": 32, "target": 64}


class EndlessTranslator:
    """A task for `export`, from token ids to token ids.

    The last normalization has a bias of one, and the embedding of the end token is negative, so
    that its logit is far below all others.

    Args:
        preset: Size of the Transformer.
        batches: Batch sizes to verify the artifacts with.
        **options: Options of the Transformer besides those of the preset.
    """

    def __init__(self, preset: str, batches: tuple[int, ...], **options: Any) -> None:
        self.model = create_model(
            "transformer",
            preset,
            source_vocabulary_size=VOCABULARY,
            target_vocabulary_size=VOCABULARY,
            **options,
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

    def signatures(
        self, text: str | None, litert: bool = False, **generation: Any
    ) -> dict[str, Any]:
        length = LENGTHS["target"]

        def infer(token_ids: Any) -> dict[str, Any]:
            found = generate(self.model, source_inputs(token_ids, DEFAULT_SPECIAL_TOKENS), length)
            # Of known length, as in the artifacts of tasks.
            written = ops.reshape(found.token_ids[:, 0], (-1, length))
            return {"token_ids": written, "lengths": found.lengths[:, 0]}

        spec = {"token_ids": TensorSpec(("batch", "length"), "int32", DEFAULT_SPECIAL_TOKENS.pad)}
        axes: dict[str, Any] = {"token_ids": ("batch", None), "lengths": ("batch",)}
        return {SERVING_DEFAULT: Signature(spec, spec, infer, axes)}

    def probes(self, **_: Any) -> dict[str, list[dict[str, np.ndarray]]]:
        return {SERVING_DEFAULT: [{"token_ids": source_ids(rows)} for rows in self.batches]}

    def samples(self, **_: Any) -> dict[str, list[dict[str, np.ndarray]]]:
        return self.probes()

    def assets(self) -> dict[str, str]:
        return {}

    def evaluate_artifact(self, artifact: Any, data: Any) -> dict[str, float]:
        raise NotImplementedError("random weights have no metrics")


def _jitter(model: Any) -> None:
    """Makes biases non-zero; a converter would remove zeros."""
    random = np.random.default_rng(0)
    for weight in model.weights:
        if weight.dtype == "float32" and "kernel" not in weight.path:
            weight.assign_add(random.normal(scale=0.01, size=weight.shape))


def source_ids(rows: int) -> np.ndarray:
    """Random token ids (B, 32) without special tokens."""
    random = np.random.default_rng(rows)
    return random.integers(END + 1, VOCABULARY, (rows, LENGTHS["source"]), "int32")
