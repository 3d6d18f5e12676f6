"""What all scores of whole texts share.

They need strings, which no compiled graph has, and a corpus score is no mean of sentence scores;
so these are plain objects with Keras's three verbs, to be used on the predictions of a model, by
hand or by the callback `TextScores`.
"""

import itertools
from collections.abc import Sequence


class CorpusScore:
    """Collects texts; `result` scores all of them at once, or takes the mean over sentences."""

    def __init__(self, name: str, sentence_mean: bool = False) -> None:
        self.name = name
        self.sentence_mean = sentence_mean
        self.reset_state()

    def score(self, references: list[list[str]], predictions: list[str]) -> float:
        """The score of some texts, at least one."""
        raise NotImplementedError

    def reset_state(self) -> None:
        """Forgets every text seen."""
        self._references: list[list[str]] = []
        self._predictions: list[str] = []

    def update_state(
        self, references: Sequence[str | Sequence[str]], predictions: Sequence[str]
    ) -> None:
        """Adds predictions, and for each its reference, or several."""
        for name, texts in (("references", references), ("predictions", predictions)):
            if not isinstance(texts, list | tuple):
                raise ValueError(
                    f"{name} must be a list of Python strings, got {type(texts).__name__}."
                )
        grouped = [[each] if isinstance(each, str) else list(each) for each in references]
        if not all(isinstance(text, str) for text in itertools.chain(predictions, *grouped)):
            raise ValueError("references and predictions must hold Python strings, not tensors.")
        if not all(grouped):
            raise ValueError("references must hold at least one text for each prediction.")
        if len(grouped) != len(predictions):
            raise ValueError(
                "references and predictions must be equally many, "
                f"got {len(grouped)} and {len(predictions)}."
            )
        self._references += grouped
        self._predictions += predictions

    def result(self) -> float:
        """The score of everything seen since the last reset; 0 if that is nothing."""
        if not self._predictions:
            return 0.0
        if not self.sentence_mean:
            return float(self.score(self._references, self._predictions))
        pairs = zip(self._references, self._predictions, strict=True)
        return sum(self.score([r], [p]) for r, p in pairs) / len(self._predictions)
