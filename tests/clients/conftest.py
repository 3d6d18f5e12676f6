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

    def __init__(self, name, folder, options, **signatures):
        subject = Subject(CASES[name], folder / "subject")
        task, self.path = subject.served, folder / f"{name}.tflite"
        sizes = {"length": LENGTH, "text_size": SIZE}
        export.litert(task, self.path, text="bytes", **sizes, **options, **signatures)
        texts = [text for text in subject.case.texts if len(text) <= LENGTH]
        actual = task.predict(texts, **options)
        self.answers = {
            text: each if isinstance(each, str) else each.label
            for text, each in zip(texts, subject.case.output.expected(actual), strict=True)
        }
        assert len(self.answers) > 2


MADE = [
    pytest.param(name, marks=pytest.mark.long) if name == "token_tagger" else name
    for name in OPTIONS
]


STREAMING = ["causal_lm_carried"]
STREAMING += [
    pytest.param(name, marks=pytest.mark.long) for name in ("text_to_text", "causal_lm_gpt2")
]


@pytest.fixture(scope="session", params=MADE)
def exported(request, tmp_path_factory):
    name = request.param
    return Exported(name, tmp_path_factory.mktemp("client"), OPTIONS[name])


@pytest.fixture(scope="session", params=STREAMING)
def streamed(request, tmp_path_factory):
    """A file that generates token by token."""
    return Exported(request.param, tmp_path_factory.mktemp("client"), {}, stream=True)
