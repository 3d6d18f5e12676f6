"""Tasks that find answers in passages."""

from tests.tasks.api import kinds
from tests.tasks.case import Case
from tests.tasks.cases import files
from tests.tasks.cases.labels import BERT
from tests.tasks.cases.texts import NO_LABELS, NOT_GENERATING, VOCABULARY
from tests.tasks.readings import Answers

ASKED = [
    ("which town ?", "Ann sings Köln sleeps"),
    ("which town ?", "Bob in Rome."),
    ("", ""),
    ("which ?", "Ann 你 sings " * 5 + "Oslo"),
]


def question_answering(folder, **options):
    settings = {**BERT, "vocabulary_size": 61, "max_length": 11, "max_question_length": 3}
    return kinds()["question-answering"](**{**settings, "stride": 4, **options})


CASES = {
    "question_answering": Case(
        "question-answering",
        question_answering,
        files.homes,
        ASKED,
        Answers(),
        fit={"learning_rate": 0.03, "batch_tokens": 307},
        epochs=8,
        not_applicable={
            **NOT_GENERATING,
            **NO_LABELS,
            "to_pretrained": VOCABULARY,
            "LiteRT strings": "LiteRT cannot find the words of a passage",
        },
    )
}
