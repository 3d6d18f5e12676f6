"""Text classification: from a text, or a pair of texts, to its label."""

from typing import Any, ClassVar

import numpy as np

from zoo.tasks.answers.labels import Labels, probabilities
from zoo.tasks.answers.unknown_texts import UnknownTexts
from zoo.tasks.formats.labeled_texts import labeled_text_format
from zoo.tasks.inputs.labeled_texts import labeled_text_input
from zoo.tasks.options import text_classifier as options
from zoo.tasks.parts import Parts
from zoo.tasks.recipes.labeled_texts import LabeledTextInput, LabeledTextRecipe
from zoo.tasks.task import Task

NAME = "text-classifier"
FORMAT = labeled_text_format(NAME)
INPUT: LabeledTextInput = labeled_text_input(NAME)


class TextClassifier(Task):
    """Classifies texts or pairs of texts; trained on labeled examples.

    With `multi_label`, a text can have several labels, or none: `predict` returns a list of labels
    for each text, and `predict_proba` independent probabilities.

    Example:
        >>> import zoo
        >>> rows = [("a fine film", "good"), ("a dull one", "bad")] * 4
        >>> task = zoo.TextClassifier("rnn_classifier", "tiny", embedding_dim=8, units=8)
        >>> task.adapt(rows)
        >>> history = task.fit(rows, epochs=1, xla=False, verbose=False)
        >>> set(task.predict(["fine", "dull"])) <= {"good", "bad"}
        True
    """

    name = NAME
    Settings = options.Settings
    Training = options.Training
    parts: ClassVar = Parts(
        format=FORMAT,
        input=INPUT,
        answer=Labels(UnknownTexts()),
        recipe=LabeledTextRecipe(FORMAT, INPUT),
        purpose="Classifies each {row}.",
    )

    @property
    def labels(self) -> list[str]:
        """The labels in class order."""
        return list(self.head.labels)

    def predict_proba(self, data: Any, batch_size: int = 64) -> np.ndarray:
        """The probability of each label, (B, C) in the order of `labels`; see `predict`."""
        return probabilities(self.predictor(), data, batch_size)
