"""The baseline of embedders: cosine similarities of TF-IDF vectors of words."""

from typing import Any

from zoo.data.readers.scored_pairs import ScoredPairs
from zoo.data.shards.examples import PreparedExamples
from zoo.tasks.formats.pairs import SimilarTexts
from zoo.tasks.parts.baselines import Baselines
from zoo.tasks.similarity import tfidf_scores


class SimilarTextBaselines(Baselines[Any, SimilarTexts, Any]):
    """TF-IDF weights that are counted in the very texts to evaluate."""

    def scores_without_training(self, examples: SimilarTexts) -> dict[str, float]:
        if isinstance(examples, PreparedExamples):
            return {}
        return tfidf_scores(ScoredPairs.of(examples))
