"""The baseline of taggers: the most frequent tag of each word."""

import keras

from zoo.data.readers.tags import TaggedTexts
from zoo.heads.tag_scores import score_tags
from zoo.preprocessing.words import WordPreprocessor
from zoo.tasks.baselines.frequent_answers import FrequentAnswers, named
from zoo.tasks.options.token_tagger import Settings
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.parts.fitted import Fitted

FittedTags = Fitted[Settings, WordPreprocessor, keras.Model]


class TagBaselines(Baselines[FittedTags, TaggedTexts, FrequentAnswers]):
    """The most frequent tag of each word; of unknown words that of all."""

    loader = FrequentAnswers.load

    def fit(self, examples: TaggedTexts, fitted: FittedTags) -> FrequentAnswers:
        return FrequentAnswers.of_tagged(examples.words, examples.tags)

    def scores(
        self, learned: FrequentAnswers, examples: TaggedTexts, fitted: FittedTags
    ) -> dict[str, float]:
        tags = [learned.tags(words) for words in examples.words]
        return named(score_tags(examples.tags, tags), "majority")
