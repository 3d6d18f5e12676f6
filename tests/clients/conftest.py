"""Trained tasks in files of one shape that take and return text as bytes."""

import pytest

import export
from tests.tasks.cases import CASES
from tests.tasks.harness import Subject

OPTIONS = {"text_to_text": {"beams": 4}, "text_classifier": {}, "token_tagger": {}}
LENGTH, SIZE = 13, 67


class Exported:
    """A file, and what it says about texts.

    Args:
        path: The file.
        answers: The task's predictions by text.
    """

    def __init__(self, name, folder):
        subject, options = Subject(CASES[name], folder / "subject"), OPTIONS[name]
        task, self.path = subject.served, folder / f"{name}.tflite"
        export.litert(task, self.path, text="bytes", length=LENGTH, text_size=SIZE, **options)
        texts = [text for text in subject.case.texts if len(text) <= LENGTH]
        found = task.predict(texts, **options)
        self.answers = {
            text: each if isinstance(each, str) else each.label
            for text, each in zip(texts, subject.case.output.expected(found), strict=True)
        }
        assert len(self.answers) > 2


MADE = [
    pytest.param(name, marks=pytest.mark.long) if name == "token_tagger" else name
    for name in OPTIONS
]


@pytest.fixture(scope="session", params=MADE)
def exported(request, tmp_path_factory):
    return Exported(request.param, tmp_path_factory.mktemp("client"))
