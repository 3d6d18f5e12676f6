"""Baselines for answers in passages, which every model should outperform."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Self

import numpy as np

from zoo.data.readers.answers import AnsweredQuestions
from zoo.json_file import write_json
from zoo.metrics.spans import AnswerRows, normalized
from zoo.registry.metrics import ANSWERS
from zoo.tasks.baselines.saved_arrays import JSON_FILE, load_json
from zoo.tasks.measuring import Judged
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import AnyFitted

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class AnswerBaseline:
    """The most frequent answer, and the words beside those of the question.

    The second is the part of a passage, as long as answers usually are, that has none of the words
    of the question, and most of them nearby, after Richardson et al. 2013, section 5.1.

    Formula: `score = sum log(1 + 1 / f) / d` over the words of the passage that the question has,
        of frequency `f` in the passage, `d` words away

    Args:
        answer: The most frequent answer; "" if that is none.
        length: The median number of words of an answer.

    Example:
        >>> baseline = AnswerBaseline("Ann", length=1)
        >>> baseline.nearest("Who sings loudly?", "Bob sleeps. Ann sings loudly.")
        'Ann'
    """

    answer: str
    length: int

    @classmethod
    def fit(cls, answers: Sequence[Sequence[str]]) -> Self:
        """The baseline of the answers to each question."""
        first = [texts[0] if texts else "" for texts in answers]
        ((answer, _),) = Counter(first).most_common(1)
        lengths = sorted(len(_WORD.findall(text)) for text in first if text)
        return cls(answer, max(1, lengths[len(lengths) // 2]) if lengths else 1)

    def nearest(self, question: str, passage: str) -> str:
        """The part of a passage that is nearest to words of the question, without these words."""
        asked = set(normalized(question).split())
        words = [*_WORD.finditer(passage)]
        texts = [normalized(word[0]) for word in words]
        shared = [(i, text) for i, text in enumerate(texts) if text in asked]
        counts = Counter(text for _, text in shared)
        length = min(self.length, len(words))
        first = np.arange(len(words) - length + 1)
        scores, free = np.zeros(len(first)), np.ones(len(first), bool)
        for index, text in shared:
            distance = np.maximum(first - index, index - first - length + 1)
            free &= distance > 0
            scores += math.log(1 + 1 / counts[text]) / np.maximum(distance, 1)
        best = int(np.where(free, scores, -1.0).argmax()) if words else 0
        return passage[words[best].start() : words[best + length - 1].end()] if words else ""

    def predict(self, questions: Sequence[str], passages: Sequence[str]) -> dict[str, list[str]]:
        """The answers of each baseline to questions, by its name."""
        nearest = [self.nearest(*row) for row in zip(questions, passages, strict=True)]
        return {"frequent": [self.answer] * len(nearest), "nearest": nearest}

    def save(self, folder: Path) -> None:
        """Writes the baseline to a run folder."""
        write_json(folder / JSON_FILE, asdict(self))

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """Loads what `save` wrote, or returns None if there is none.

        Raises:
            UserError: If the file is damaged.
        """
        return load_json(
            folder, lambda content: cls(str(content["answer"]), int(content["length"]))
        )


class AnswerBaselines(Baselines[AnyFitted, AnsweredQuestions, AnswerBaseline]):
    """The most frequent answer, and the words beside those of the question."""

    loader = AnswerBaseline.load

    def fit(self, examples: AnsweredQuestions, fitted: AnyFitted) -> AnswerBaseline:
        return AnswerBaseline.fit(examples.texts_of_answers)

    def judged(
        self, learned: AnswerBaseline, examples: AnsweredQuestions, fitted: AnyFitted
    ) -> Mapping[str, Judged]:
        predictions = learned.predict(examples.questions, examples.passages)
        return {
            name: {ANSWERS: partial(AnswerRows, examples.texts_of_answers, own)}
            for name, own in predictions.items()
        }
