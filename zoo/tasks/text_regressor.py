"""Text regression: from a text, or a pair of texts, to a number or several."""

from typing import ClassVar

from zoo.data.readers.values import ValuedTexts
from zoo.tasks.answers.values import Values
from zoo.tasks.formats.valued_texts import ValuedTextFormat
from zoo.tasks.inputs.labeled_texts import labeled_text_input
from zoo.tasks.options import text_regressor as options
from zoo.tasks.parts import Parts
from zoo.tasks.recipes.valued_texts import ValuedTextInput, ValuedTextRecipe
from zoo.tasks.task import Task

NAME = "text-regressor"
INPUT: ValuedTextInput[options.Settings, ValuedTexts] = labeled_text_input(NAME)


class TextRegressor(Task):
    """Predicts values of texts or of pairs of texts, such as ratings or similarities.

    `predict` returns a number for each text; of a task with several values, a dictionary of them.

    Example:
        >>> import zoo
        >>> rows = [("a fine film", 4.5), ("a dull one", 1.0)] * 4
        >>> task = zoo.TextRegressor(num_buckets=101)
        >>> history = task.fit(rows, epochs=60, xla=False, verbose=False)
        >>> fine, dull = task.predict(["fine", "dull"])
        >>> fine > dull
        True
    """

    name = NAME
    Settings = options.Settings
    Training = options.Training
    parts: ClassVar = Parts(
        format=ValuedTextFormat(),
        input=INPUT,
        answer=Values(),
        recipe=ValuedTextRecipe(INPUT),
        purpose="Predicts a value, or several, for each {row}.",
    )

    @property
    def value_names(self) -> list[str]:
        """The names of the values, in the order of the outputs."""
        return list(self.head.names)
