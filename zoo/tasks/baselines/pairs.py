"""Baselines of text-to-text: the most frequent target, and the source itself."""

from zoo.data.shards.examples import PreparedExamples
from zoo.heads.scores import score_texts
from zoo.models.seq2seq import Seq2Seq
from zoo.preprocessing.text import TextPreprocessor
from zoo.tasks.baselines.frequent_answers import FrequentAnswers, named
from zoo.tasks.formats.pairs import PairExamples
from zoo.tasks.options.text_to_text import Settings
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import Fitted

FittedPairs = Fitted[Settings, TextPreprocessor, Seq2Seq]


class PairBaselines(Baselines[FittedPairs, PairExamples, FrequentAnswers]):
    """The most frequent target of the training data, and copies of the sources."""

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
        return named(score_texts(examples.targets, examples.sources), "copy")
