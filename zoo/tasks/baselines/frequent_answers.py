"""The most frequent answers of the training data, which every model should outperform."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from zoo.data.readers.tags import TaggedTexts
from zoo.json_file import write_json
from zoo.metrics.tags import TagRows
from zoo.preprocessing.words import WordPreprocessor
from zoo.registry.metrics import TAGS
from zoo.tasks.baselines.saved_arrays import JSON_FILE, load_json
from zoo.tasks.measuring import Judged
from zoo.tasks.options.token_tagger import Settings
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import AnyFitted, Fitted
from zoo.tasks.parts.kinds import E

FittedTags = Fitted[Settings, WordPreprocessor]


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
        write_json(folder / JSON_FILE, asdict(self))

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """Loads what `save` wrote, or returns None if there is none.

        Raises:
            UserError: If the file is damaged.
        """
        return load_json(folder, lambda each: cls(str(each["answer"]), _texts(each["of_words"])))


def _texts(content: Mapping[str, Any]) -> dict[str, str]:
    return {str(word): str(tag) for word, tag in content.items()}


def named(scores: dict[str, float], name: str) -> dict[str, float]:
    """The scores of a baseline, with its name before that of each metric.

    Example:
        >>> named({"accuracy": 0.5}, "majority")
        {'majority_accuracy': 0.5}
    """
    return {f"{name}_{metric}": value for metric, value in scores.items()}


class TagBaselines(Baselines[FittedTags, TaggedTexts, FrequentAnswers]):
    """The most frequent tag of each word; of unknown words that of all."""

    loader = FrequentAnswers.load

    def fit(self, examples: TaggedTexts, fitted: FittedTags) -> FrequentAnswers:
        return FrequentAnswers.of_tagged(examples.words, examples.tags)

    def judged(
        self, learned: FrequentAnswers, examples: TaggedTexts, fitted: FittedTags
    ) -> Mapping[str, Judged]:
        tags = [learned.tags(words) for words in examples.words]
        return {"majority": {TAGS: lambda: TagRows(examples.tags, tags)}}


@dataclass(frozen=True)
class SameAnswer(Baselines[AnyFitted, E, FrequentAnswers]):
    """One answer of the training data for every input.

    Args:
        name: Name of the baseline.
        choose: Function from the training data to the answer.
        judge: Function from examples and that answer to the answers beside the correct ones.
    """

    loader = FrequentAnswers.load
    name: str
    choose: Callable[[E], str]
    judge: Callable[[E, str], Judged]

    def fit(self, examples: E, fitted: AnyFitted) -> FrequentAnswers:
        return FrequentAnswers.of([self.choose(examples)])

    def judged(
        self, learned: FrequentAnswers, examples: E, fitted: AnyFitted
    ) -> Mapping[str, Judged]:
        return {self.name: self.judge(examples, learned.answer)}
