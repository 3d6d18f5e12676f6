"""`CompiledModel`, which takes no dynamic shapes, gives the task's answers."""

import pytest

from tests.clients.compiled import run
from tests.clients.conftest import SIZE
from tests.clients.inputs import one_text


@pytest.mark.thorough(1)
def test_texts(exported):
    answer = run(exported.path)
    for text, expected in exported.answers.items():
        found = answer(one_text(text, SIZE))
        written = found["text_bytes"][0, : found["text_lengths"][0]]
        assert bytes(written.tolist()).decode() == expected
