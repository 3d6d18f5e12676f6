"""The kinds of tasks on texts that can share an encoder."""

import math

from zoo.tasks import text_classifier, text_regressor, token_tagger
from zoo.tasks.kinds import Kind, Kinds
from zoo.tasks.options.multi_task import LABEL, LABEL_SETS, TAGS, VALUES
from zoo.tasks.recipes.labeled_texts import LabeledTextRecipe
from zoo.tasks.recipes.tagged_texts import TaggedTextRecipe
from zoo.tasks.recipes.valued_texts import ValuedTextRecipe

CLASSIFICATION = LabeledTextRecipe(text_classifier.FORMAT, text_classifier.INPUT)
KINDS = Kinds(
    {
        LABEL: Kind(
            text_classifier.TextClassifier, CLASSIFICATION, "accuracy", {"multi_label": False}
        ),
        LABEL_SETS: Kind(
            text_classifier.TextClassifier, CLASSIFICATION, "micro_f1", {"multi_label": True}
        ),
        VALUES: Kind(
            text_regressor.TextRegressor,
            ValuedTextRecipe(text_regressor.INPUT),
            "r2",
            precision=0.5,
            missing=math.nan,
        ),
        TAGS: Kind(
            token_tagger.TokenTagger,
            TaggedTextRecipe(token_tagger.INPUT),
            "accuracy",
            of_words=True,
        ),
    },
    usual=LABEL,
)
