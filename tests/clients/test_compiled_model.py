"""`CompiledModel`, which takes no dynamic shapes, gives the task's answers."""

import pytest

from tests.clients.compiled import Compiled
from tests.clients.conftest import SIZE
from tests.clients.inputs import one_text


def written(actual):
    text = actual["text_bytes"][0, : actual["text_lengths"][0]]
    return bytes(text.tolist()).decode(errors="replace")


@pytest.mark.thorough(1)
def test_texts(exported):
    answer = Compiled(exported.path)
    for text, expected in exported.answers.items():
        assert written(answer(one_text(text, SIZE))) == expected


@pytest.mark.thorough
def test_texts_token_by_token(streamed):
    model, most = Compiled(streamed.path), 0
    for text, expected in streamed.answers.items():
        inputs = one_text(text, SIZE)
        texts = [written(actual) for actual in model.steps(inputs)]
        assert texts[-1] == written(model(inputs)) == expected
        assert sorted(texts, key=len) == texts
        most = max(most, len(texts))
    assert most > 1
