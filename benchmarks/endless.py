"""Models that never generate the end token, so that every call is equal work, as tasks."""

from typing import Any

import numpy as np
from keras import ops

from zoo.decoding.generate import generate
from zoo.decoding.protocol import Generated
from zoo.models.create import create_model
from zoo.preprocessing.base import TensorSpec
from zoo.preprocessing.model_inputs import source_inputs
from zoo.serving.export_parts import ExportParts
from zoo.serving.signatures import SERVING_DEFAULT, Signature
from zoo.text.special_tokens import DEFAULT_SPECIAL_TOKENS, END, SpecialTokens

VOCABULARY = 8000
LENGTHS = {"source": 32, "target": 64}
NO_END = SpecialTokens(pad=-1, unknown=-1, start=-1, end=-1)


class Endless:
    """A task for `export`, from token ids to token ids.

    Args:
        model: A `Decoder`.
        batches: Batch sizes to verify the artifacts with.
        special_tokens: Ids of the special tokens.
        new: How many tokens a call generates.
    """

    def __init__(
        self, model: Any, batches: tuple[int, ...], special_tokens: SpecialTokens, new: int
    ) -> None:
        self.model, self.batches, self.special_tokens, self.new = (
            model,
            batches,
            special_tokens,
            new,
        )

    def model_inputs(self, token_ids: Any) -> dict[str, Any]:
        """The inputs of the model for token ids (B, N)."""
        return {"token_ids": token_ids}

    def token_ids(self, rows: int) -> np.ndarray:
        """Token ids (B, 32) to begin with, all of them words."""
        raise NotImplementedError

    def write(self, token_ids: Any) -> Generated:
        """Generates greedily."""
        return generate(
            self.model, self.model_inputs(token_ids), self.new, special_tokens=self.special_tokens
        )

    def export_parts(
        self, text: str | None, litert: bool = False, samples: bool = False, **generation: Any
    ) -> ExportParts:
        """All that its artifact is made from."""

        def infer(token_ids: Any) -> dict[str, Any]:
            found = self.write(token_ids)
            # Of known length, as in the artifacts of tasks.
            written = ops.reshape(found.token_ids[:, 0], (-1, self.new))
            return {"token_ids": written, "lengths": found.lengths[:, 0]}

        spec = {"token_ids": TensorSpec(("batch", "length"), "int32", self.special_tokens.pad)}
        axes: dict[str, Any] = {"token_ids": ("batch", None), "lengths": ("batch",)}
        found = {SERVING_DEFAULT: Signature(spec, spec, infer, axes)}
        calls = {SERVING_DEFAULT: [{"token_ids": self.token_ids(rows)} for rows in self.batches]}
        config = {"benchmark": "decoding"}
        return ExportParts(found, found, calls, samples=calls if samples else {}, config=config)

    def evaluate_artifact(self, artifact: Any, data: Any) -> dict[str, float]:
        raise NotImplementedError("random weights have no metrics")


class EndlessWriter(Endless):
    """A GPT without an end token.

    Args:
        model: The GPT.
        vocabulary_size: Its number of tokens.
        batches: Batch sizes to verify the artifacts with.
        new: How many tokens a call generates.
    """

    def __init__(
        self, model: Any, vocabulary_size: int, batches: tuple[int, ...], new: int
    ) -> None:
        super().__init__(model, batches, NO_END, new)
        self.vocabulary_size = vocabulary_size

    def token_ids(self, rows: int) -> np.ndarray:
        return _random_ids(rows, 0, self.vocabulary_size)


class EndlessTranslator(Endless):
    """A Transformer that never generates its end token.

    The last normalization has a bias of one, and the embedding of the end token is negative, so
    that its logit is far below all others.

    Args:
        preset: Size of the Transformer.
        batches: Batch sizes to verify the artifacts with.
        **options: Options of the Transformer besides those of the preset.
    """

    def __init__(self, preset: str, batches: tuple[int, ...], **options: Any) -> None:
        model = create_model(
            "transformer",
            preset,
            source_vocabulary_size=VOCABULARY,
            target_vocabulary_size=VOCABULARY,
            **options,
        )
        super().__init__(model, batches, DEFAULT_SPECIAL_TOKENS, LENGTHS["target"])
        _jitter(model)
        gamma, beta = model.decoder[-1].residuals[-1].weights
        gamma.assign(np.ones(gamma.shape))
        beta.assign(np.ones(beta.shape))
        table = model.target_embedding.embeddings
        rows = np.array(table)
        rows[END] = -0.1
        table.assign(rows)

    def model_inputs(self, token_ids: Any) -> dict[str, Any]:
        return source_inputs(token_ids, self.special_tokens)

    def token_ids(self, rows: int) -> np.ndarray:
        return source_ids(rows)


def source_ids(rows: int) -> np.ndarray:
    """Random token ids (B, 32) without special tokens."""
    return _random_ids(rows, END + 1, VOCABULARY)


def _random_ids(rows: int, first: int, end: int) -> np.ndarray:
    return np.random.default_rng(rows).integers(first, end, (rows, LENGTHS["source"]), "int32")


def _jitter(model: Any) -> None:
    """Makes biases non-zero; a converter would remove zeros."""
    random = np.random.default_rng(0)
    for weight in model.weights:
        if weight.dtype == "float32" and "kernel" not in weight.path:
            weight.assign_add(random.normal(scale=0.01, size=weight.shape))
