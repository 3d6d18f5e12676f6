"""The most frequent answers of the training data, which every model should outperform."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from zoo.errors import damage
from zoo.json_file import read_json, write_json

FILE = "baseline.json"


@dataclass(frozen=True)
class FrequentAnswers:
    """The most frequent answer, and of words that of each word.

    Args:
        answer: The most frequent answer.
        of_words: The most frequent answer by word; empty if inputs have no words.

    Example:
        >>> tags = [["PER", "O"], ["PER"]]
        >>> answers = FrequentAnswers.of_tagged([["Ann", "sings"], ["Ann"]], tags)
        >>> answers.tags(["Ann", "dances"])
        ['PER', 'PER']
    """

    answer: str
    of_words: dict[str, str]

    @classmethod
    def of(cls, answers: Iterable[str]) -> Self:
        """The most frequent of some answers; of several, the first."""
        ((answer, _),) = Counter(answers).most_common(1)
        return cls(answer, {})

    @classmethod
    def of_tagged(cls, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]) -> Self:
        """The most frequent tag, and that of each word."""
        counts: dict[str, Counter[str]] = {}
        every: Counter[str] = Counter()
        for words, of_words in zip(sentences, tags, strict=True):
            every.update(of_words)
            for word, tag in zip(words, of_words, strict=True):
                counts.setdefault(word, Counter())[tag] += 1
        ((answer, _),) = every.most_common(1)
        return cls(answer, {word: each.most_common(1)[0][0] for word, each in counts.items()})

    def tags(self, words: Sequence[str]) -> list[str]:
        """The most frequent tag of each word; of unknown words that of all."""
        return [self.of_words.get(word, self.answer) for word in words]

    def save(self, folder: Path) -> None:
        """Writes the answers to a run folder."""
        write_json(folder / FILE, asdict(self))

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """Loads what `save` wrote, or returns None if there is none.

        Raises:
            UserError: If the file is damaged.
        """
        path = folder / FILE
        if not path.exists():
            return None
        with damage(path):
            content = read_json(path, dict)
            words = {str(word): str(tag) for word, tag in dict(content["of_words"]).items()}
            return cls(str(content["answer"]), words)
        return None


def named(scores: dict[str, float], name: str) -> dict[str, float]:
    """The scores of a baseline, with its name before that of each metric.

    Example:
        >>> named({"accuracy": 0.5}, "majority")
        {'majority_accuracy': 0.5}
    """
    return {f"{name}_{metric}": value for metric, value in scores.items()}
