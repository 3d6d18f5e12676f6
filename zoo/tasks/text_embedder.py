"""Text embeddings: from a text to a vector that is close to those of similar texts."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from zoo.data_statistics import collecting
from zoo.tasks.answers.vectors import Vectors
from zoo.tasks.formats.pairs import similar_text_format
from zoo.tasks.inputs.texts import EncoderInput, whole_texts
from zoo.tasks.options import text_embedder as options
from zoo.tasks.parts import Parts
from zoo.tasks.recipes.similar_texts import SimilarTextInput, SimilarTextRecipe
from zoo.tasks.similarity import unit
from zoo.tasks.task import Task

NAME = "text-embedder"
FORMAT = similar_text_format(NAME)
INPUT: SimilarTextInput = EncoderInput(NAME, whole_texts)


class TextEmbedder(Task):
    """Embeds texts; trained on pairs of texts with similar meaning.

    `zoo.from_pretrained` loads pretrained sentence encoders.

    Source: Reimers & Gurevych 2019, section 3.
    Formula: `mean: v = sum_t m_t x_t / sum_t m_t`, `cls: v = x_1`; then `v / |v|` if normalized

    Example:
        >>> import zoo
        >>> pairs = [("a red hut", "a hut, red"), ("two dogs", "dogs, two of them")]
        >>> task = zoo.TextEmbedder(hidden_dim=8, intermediate_dim=16, max_length=16)
        >>> task.adapt(pairs)
        >>> history = task.fit(pairs, epochs=1, xla=False, verbose=False)
        >>> task.embed(["a hut"]).shape
        (1, 8)
    """

    name = NAME
    Settings = options.Settings
    Training = options.Training
    parts: ClassVar = Parts(
        format=FORMAT,
        input=INPUT,
        answer=Vectors(),
        recipe=SimilarTextRecipe(FORMAT, INPUT),
        purpose="Turns each text into a vector; similar texts have near ones.",
        preview="First texts of pairs, with the most similar of the second texts below, and their "
        "own.",
    )

    def embed(self, texts: Sequence[str], batch_size: int = 64) -> np.ndarray:
        """The vectors of texts, float32 (B, D).

        Args:
            texts: The texts.
            batch_size: Batch size. Texts of similar length are batched together.
        """
        return np.asarray(self.predict(texts, batch_size))

    def similarity(self, firsts: Sequence[str], seconds: Sequence[str]) -> np.ndarray:
        """The cosine similarity of each first text with each second text, from -1 to 1.

        Args:
            firsts: N texts.
            seconds: M texts.

        Returns:
            float32 array (N, M).
        """
        with collecting("similarity"):
            a, b = (unit(self.embed(texts)) for texts in (firsts, seconds))
        return a @ b.T

    def evaluate(
        self, data: Any, *, metrics: Sequence[str] | None = None, **options: Any
    ) -> dict[str, float]:
        """The metrics of the cosine similarities of pairs of texts, and the same of TF-IDF vectors.

        Args:
            data: A file or a list of (text, second text) or of (text, second text, score); higher
                scores mean more similar.
            metrics: Names of metrics; see docs/how-to/training. Default: those below.

        Returns:
            With scores: `spearman` and `pearson`, the correlations of ranks and of values, from -1
            to 1. Without: `recall_at_1`, how often a second text of a first text is the most
            similar to it of all different second texts, and `mrr`, the mean reciprocal rank, from 0
            to 1. With scikit-learn also `tfidf_spearman` and so on, those of TF-IDF.

        Raises:
            UserError: If a row has only one text, or a score is not a number.
        """
        return super().evaluate(data, metrics=metrics, **options)
