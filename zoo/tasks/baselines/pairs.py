"""Baselines of text-to-text: the most frequent target, the source itself, and its beginning."""

from collections.abc import Mapping, Sequence
from functools import partial

from zoo.metrics.texts import TextRows
from zoo.preprocessing.text import TextPreprocessor
from zoo.registry.metrics import TEXTS
from zoo.tasks.baselines.frequent_answers import FrequentAnswers
from zoo.tasks.formats.pairs import PairExamples
from zoo.tasks.measuring import Judged
from zoo.tasks.options.text_to_text import Settings
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import Fitted
from zoo.text.sentences import split_sentences

FittedPairs = Fitted[Settings, TextPreprocessor]
LEADS = (1, 3)  # sentences that are a summary, as baselines


def lead(text: str, sentences: int) -> str:
    """The first sentences of a text, which is the usual baseline of summaries.

    Source: See et al. 2017, section 6 (lead-3).

    Example:
        >>> lead("It rains. It pours. The old man snores.", 1)
        'It rains.'
    """
    return " ".join(split_sentences(text)[:sentences])


class PairBaselines(Baselines[FittedPairs, PairExamples, FrequentAnswers]):
    """The most frequent target of the training data, copies of the sources, and their beginnings.

    Beginnings are the first sentence and the first three, if most of the sources have more.
    """

    loader = FrequentAnswers.load

    def fit(self, examples: PairExamples, fitted: FittedPairs) -> FrequentAnswers | None:
        texts = examples.readable
        return None if texts is None else FrequentAnswers.of(texts.targets)

    def judged(
        self, learned: FrequentAnswers, examples: PairExamples, fitted: FittedPairs
    ) -> Mapping[str, Judged]:
        texts = examples.readable
        if texts is None:
            return {}
        return _judged(texts.targets, {"majority": [learned.answer] * len(texts.targets)})

    def judged_without_training(self, examples: PairExamples) -> Mapping[str, Judged]:
        texts = examples.readable
        if texts is None:
            return {}
        sources, predictions = texts.sources, {"copy": texts.sources}
        lengths = [len(split_sentences(source)) for source in sources]
        for count in LEADS:
            if sum(length > count for length in lengths) > len(lengths) / 2:
                shortened = [lead(source, count) for source in sources]
                predictions[f"lead_{count}"] = shortened
        return _judged(texts.targets, predictions)


def _judged(
    targets: Sequence[str], predictions: Mapping[str, Sequence[str]]
) -> Mapping[str, Judged]:
    references = [[text] for text in targets]
    return {
        name: {TEXTS: partial(TextRows, references, texts)} for name, texts in predictions.items()
    }
