"""Base class of the metrics that score whole texts.

They need strings, which compiled graphs do not handle, and a corpus score is not the mean of
sentence scores. So they are plain objects with Keras's three methods `reset_state`, `update_state`
and `result`, to be called on a model's predictions directly or by the callback `TextScores`.
"""

import itertools
from collections.abc import Sequence


class CorpusScore:
    """Collects texts; `result` scores all of them as one corpus, or averages over the sentences."""

    def __init__(self, name: str, sentence_mean: bool = False) -> None:
        self.name = name
        self.sentence_mean = sentence_mean
        self.reset_state()

    def score(self, references: list[list[str]], predictions: list[str]) -> float:
        """Returns the score of a non-empty list of predictions."""
        raise NotImplementedError

    def reset_state(self) -> None:
        """Removes all texts."""
        self._references: list[list[str]] = []
        self._predictions: list[str] = []

    def update_state(
        self, references: Sequence[str | Sequence[str]], predictions: Sequence[str]
    ) -> None:
        """Adds predictions, each with one reference or a list of references."""
        for name, texts in (("references", references), ("predictions", predictions)):
            if not isinstance(texts, list | tuple):
                raise ValueError(
                    f"{name} must be a list of Python strings; received {type(texts).__name__}."
                )
        grouped = [[each] if isinstance(each, str) else list(each) for each in references]
        if not all(isinstance(text, str) for text in itertools.chain(predictions, *grouped)):
            raise ValueError("references and predictions must hold Python strings, not tensors.")
        if not all(grouped):
            raise ValueError("references must have at least one text for each prediction.")
        if len(grouped) != len(predictions):
            raise ValueError(
                "references and predictions must have the same length; "
                f"received {len(grouped)} and {len(predictions)}."
            )
        self._references += grouped
        self._predictions += predictions

    def result(self) -> float:
        """Returns the score of all texts since the last reset, or 0 if there are none."""
        if not self._predictions:
            return 0.0
        if not self.sentence_mean:
            return float(self.score(self._references, self._predictions))
        pairs = zip(self._references, self._predictions, strict=True)
        return sum(self.score([r], [p]) for r, p in pairs) / len(self._predictions)
