"""Vectors as the answer of a task."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zoo.data.readers.scored_pairs import ScoredPairs
from zoo.errors import UserError
from zoo.heads.head import Reader
from zoo.heads.vector import VectorHead
from zoo.preprocessing.base import BATCH
from zoo.preprocessing.text import TEXT, TextPreprocessor
from zoo.serving.inference import Inference, Tensors
from zoo.serving.signatures import SERVING_DEFAULT, Signature
from zoo.tasks.cells import PREDICTION, Cells
from zoo.tasks.formats.pairs import SimilarTexts
from zoo.tasks.measuring import Judged
from zoo.tasks.options.text_embedder import Settings
from zoo.tasks.parts import Answer, Fitted, Predictor, PreviewRow
from zoo.tasks.similarity import DenseCosines, judged_pairs, unit
from zoo.text.form import TextForm

EMBED = "embed"  # signature of SavedModels that take texts: the same as the main one

FittedVectors = Fitted[Settings, TextPreprocessor]
VectorPredictor = Predictor[FittedVectors, VectorHead]


class Vectors(Answer[Settings, TextPreprocessor, SimilarTexts, VectorHead]):
    """One vector for each text; similar texts have near ones."""

    marks_differences = False  # of another text

    def learn(self, examples: SimilarTexts, settings: Settings) -> Settings:
        return settings

    def sizes(self, settings: Settings) -> dict[str, Any]:
        return {"pooling": settings.pooling, "normalize": settings.normalize}

    def head(self, settings: Settings, preprocessor: TextPreprocessor) -> VectorHead:
        return VectorHead(bool(settings.normalize))

    def inferences(
        self, fitted: FittedVectors, head: VectorHead, reader: Reader, options: Mapping[str, Any]
    ) -> dict[str, Inference]:
        def compute(inputs: Tensors) -> Tensors:
            return {"embedding": fitted.model(inputs)["embeddings"]}

        axes = {"embedding": (BATCH, fitted.model.hidden_dim)}
        return {reader.name: Inference(reader.features, reader.prepare, compute, axes)}

    def signatures(
        self,
        signatures: dict[str, Signature],
        fitted: FittedVectors,
        head: VectorHead,
        reader: Reader,
        form: TextForm | None,
        length: int | None,
        options: Mapping[str, Any],
    ) -> dict[str, Signature]:
        # Of the other formats, each signature has a program, or a file, of its own.
        if form is not TextForm.STRINGS:
            return signatures
        return {**signatures, EMBED: signatures[SERVING_DEFAULT]}

    def predict(
        self, predictor: VectorPredictor, data: Any, batch_size: int, options: Mapping[str, Any]
    ) -> np.ndarray:
        """The vectors of texts, float32 (B, D)."""
        return _vectors(predictor, predictor.raw(data), batch_size)

    def cells_of(self, result: np.ndarray, head: VectorHead) -> Cells:
        """The vector of a text, as a list of numbers in JSON."""
        return {PREDICTION: json.dumps(result.tolist())}

    def preview(
        self, predictor: VectorPredictor, examples: SimilarTexts, count: int
    ) -> list[PreviewRow]:
        """For each first text, the most similar of the second texts, and the correct one."""
        sources, targets = examples.sources[:count], examples.targets[:count]
        firsts, seconds = (unit(_vectors(predictor, {TEXT: x})) for x in (sources, targets))
        cosines = firsts @ seconds.T
        rows = zip(sources, targets, cosines, np.diag(cosines), strict=True)
        return [
            PreviewRow(
                source,
                targets[int(cosines_of.argmax())],
                target,
                source,
                {"similarity": float(cosines_of.max()), "of the reference": float(own)},
            )
            for source, target, cosines_of, own in rows
        ]

    def unseen(
        self,
        examples: SimilarTexts,
        held_out: SimilarTexts,
        settings: Settings,
        options: Mapping[str, Any],
    ) -> None:
        """Data to evaluate may have other rows than those to train on."""

    def to_score(
        self, examples: SimilarTexts, settings: Settings, options: Mapping[str, Any]
    ) -> SimilarTexts:
        texts = examples.readable
        return examples if texts is None else ScoredPairs.of(texts)

    def judged(self, predictor: VectorPredictor, examples: SimilarTexts) -> Judged:
        """The cosine similarities of pairs of texts."""
        texts = examples.readable
        if texts is None:
            raise UserError(f"{examples.path} is prepared data, which has no texts to compare")

        def cosines(*sides: list[str]) -> DenseCosines:
            return DenseCosines(*(unit(_vectors(predictor, {TEXT: side})) for side in sides))

        return judged_pairs(ScoredPairs.of(texts), cosines)


def _vectors(
    predictor: VectorPredictor, columns: Mapping[str, Sequence[str]], batch_size: int = 64
) -> np.ndarray:
    vectors = [row["embedding"] for row in predictor.rows(columns, batch_size)]
    if not vectors:
        return np.zeros((0, predictor.fitted.model.hidden_dim), "float32")
    return np.array(vectors, "float32")
