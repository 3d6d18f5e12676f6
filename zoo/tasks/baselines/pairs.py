"""Baselines of text-to-text: the most frequent target, the source itself, and its beginning."""

from zoo.data.shards.examples import PreparedExamples
from zoo.heads.scores import score_texts
from zoo.preprocessing.text import TextPreprocessor
from zoo.tasks.baselines.frequent_answers import FrequentAnswers, named
from zoo.tasks.formats.pairs import PairExamples
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
        if isinstance(examples, PreparedExamples):
            return None
        return FrequentAnswers.of(examples.targets)

    def scores(
        self, learned: FrequentAnswers, examples: PairExamples, fitted: FittedPairs
    ) -> dict[str, float]:
        if isinstance(examples, PreparedExamples):
            return {}
        same = [learned.answer] * len(examples.targets)
        return named(score_texts(examples.targets, same), "majority")

    def scores_without_training(self, examples: PairExamples) -> dict[str, float]:
        if isinstance(examples, PreparedExamples):
            return {}
        sources, targets = examples.sources, examples.targets
        scores = named(score_texts(targets, sources), "copy")
        lengths = [len(split_sentences(source)) for source in sources]
        for count in LEADS:
            if sum(length > count for length in lengths) > len(lengths) / 2:
                shortened = [lead(source, count) for source in sources]
                scores |= named(score_texts(targets, shortened), f"lead_{count}")
        return scores
