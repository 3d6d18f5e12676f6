"""Question answering: from a question and a passage to the part of the passage that answers it."""

from typing import Any, ClassVar

from zoo.data.readers.answers import AnsweredQuestions, read_answers
from zoo.data.readers.column_names import ReadOptions
from zoo.options import values_of
from zoo.tasks.answers.spans import Spans
from zoo.tasks.formats.in_memory import InMemoryFormat
from zoo.tasks.inputs.passages import passage_input
from zoo.tasks.options import question_answering as options
from zoo.tasks.parts import Parts, Pictures
from zoo.tasks.recipes.passages import PassageRecipe
from zoo.tasks.task import Task

NAME = "question-answering"
INPUT = passage_input(NAME)


def read(data: Any, settings: options.Settings, learned: Any) -> AnsweredQuestions:
    """A table of questions, passages and answers, or a file in the format of SQuAD."""
    return read_answers(data, ReadOptions.of(values_of(settings)))


class QuestionAnswering(Task):
    """Finds the part of a passage that answers a question; trained on questions with answers.

    `predict` takes pairs of a question and a passage, of any length. It returns dictionaries:
    `text`, the answer as it is in the passage, its probability `score`, and the numbers of
    characters before it, `start`, and up to its end, `end`. If questions of the training data have
    no answer, `text` may be empty.

    Source: Devlin et al. 2019, sections 4.2 and 4.3; Rajpurkar et al. 2016.

    Example:
        >>> import zoo
        >>> rows = [(f"where is {who}", f"{who} is in {town} .", town)
        ...     for who in ("ann", "bob", "eve") for town in ("rome", "bonn", "cork")]
        >>> task = zoo.QuestionAnswering(hidden_dim=8, num_heads=2, intermediate_dim=8)
        >>> history = task.fit(rows, epochs=40, learning_rate=0.01, xla=False, verbose=False)
        >>> answer = task.predict([("where is eve", "eve is in rome .")])[0]
        >>> answer["text"], answer["start"], answer["end"]
        ('rome', 10, 14)
    """

    name = NAME
    Settings = options.Settings
    Training = options.Training
    parts: ClassVar = Parts(
        format=InMemoryFormat(read),
        input=INPUT,
        answer=Spans(),
        recipe=PassageRecipe(INPUT),
        purpose="Finds the part of a passage that answers a question.",
        preview="Questions with the answers of the model.",
        pictures=Pictures.PASSAGES,
    )
