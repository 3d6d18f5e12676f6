"""Predictions that are texts: how they are compared, read out of artifacts, scored by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

Outputs = dict[str, np.ndarray]


def rows_of(path: Path) -> list[list[str]]:
    """The cells of each line of a file."""
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()]


class Output:
    """Predictions that are texts, which the task writes."""

    def predict(self, task: Any, texts: list[Any], **options: Any) -> list[Any]:
        return list(task.predict(texts, **options))

    def same(self, actual: Any, expected: Any, tolerance: float = 1e-5) -> None:
        assert list(actual) == list(expected)

    def numbers(self, task: Any, texts: list[Any]) -> list[list[float]]:
        """The numbers behind the predictions, where the task gives them: scores of two beams."""
        actual = task.candidates(texts, beams=2)
        return [[each.score for each in candidates] for candidates in actual]

    # --- Artifacts ---

    def inputs(self, texts: list[Any]) -> Outputs:
        """What an artifact with a tokenizer of its own is given."""
        return {"text": np.array([text.encode() for text in texts], object)}

    def from_text(self, outputs: Outputs) -> list[Any]:
        """The predictions that such an artifact gives."""
        return [text.decode() for text in outputs["text"]]

    def expected(self, predictions: list[Any]) -> list[Any]:
        """What it gives for these of the task."""
        return predictions

    def ids(self, task: Any, texts: list[Any]) -> np.ndarray:
        """What an artifact without a tokenizer is given."""
        return np.asarray(task.preprocessor(text=texts)["token_ids"])

    def features(self, task: Any, texts: list[Any]) -> Outputs:
        """What such an artifact is given, by name."""
        return {"token_ids": self.ids(task, texts)}

    def learned(self, task: Any) -> Any:
        """What the task has learned of the data besides weights, to compare."""
        assert task.tokenizer.vocabulary_size > 5
        return task.tokenizer.facts()

    def from_ids(self, task: Any, texts: list[Any], ids: np.ndarray, outputs: Outputs) -> Any:
        """The predictions behind what such an artifact gives."""
        actual = task.preprocessor.detokenize(tf.constant(outputs["token_ids"])).numpy()
        return [text.decode(errors="replace") for text in actual]

    def near(self, actual: Any, expected: Any) -> bool:
        """Whether a quantized file gives about the same: most predictions are equal."""
        same = [a == b for a, b in zip(actual, expected, strict=True)]
        return sum(same) > len(same) / 2

    # --- Scores ---

    def by_hand(self, task: Any, path: Path, scores: dict[str, float]) -> dict[str, float]:
        """Some of the scores of `evaluate`, from the predictions."""
        pairs = rows_of(path)
        written = task.predict([source for source, _ in pairs])
        right = [actual == target for actual, (_, target) in zip(written, pairs, strict=True)]
        return {"exact_match": sum(right) / len(right)}

    def shown(self, task: Any, path: Path) -> list[str]:
        """What a report on a file has to show."""
        sources = [source for source, _ in rows_of(path)][:5]
        return [*sources, *task.predict(sources)]


class ScoredByTokens(Output):
    """Texts of a task that learns from plain text, and is scored by the tokens it predicts."""

    def by_hand(self, task, path, scores):
        return {"perplexity": float(np.exp(scores["loss"]))}

    def shown(self, task, path):
        return ["Predictions"]


class Filled(ScoredByTokens):
    """Texts with their masks filled."""

    def numbers(self, task, texts):
        masked = [text for text in texts if "[MASK]" in text]
        return [[each.score for each in task.fill_mask(text)[0]] for text in masked]

    def from_ids(self, task, texts, ids, outputs):
        best = outputs["token_ids"][:, :, 0]
        filled = np.where(ids == task.special_tokens.mask, best, ids)
        return [text.decode() for text in task.preprocessor.detokenize(tf.constant(filled)).numpy()]
