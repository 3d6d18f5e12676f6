"""The page on filled masks: its code runs, and prints the ids of the tokens that it names."""

import ast
import contextlib
import io
from pathlib import Path

import numpy as np
import pytest

import zoo
from tests.pages import blocks

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "tasks" / "masked-lm.md"
SENTENCE = "the government of the united states said that it is the right of the people to know."


@pytest.mark.thorough
def test_the_code_prints_what_fills_the_mask(tmp_path, monkeypatch):
    task = zoo.MaskedLM(
        "bert", "tiny", num_layers=1, hidden_dim=16, num_heads=2, intermediate_dim=16,
        vocabulary_size=90, max_length=32,
    )  # fmt: skip
    texts = [f"{SENTENCE} {SENTENCE}"] * 20
    task.fit(texts, epochs=1, xla=False, verbose=False)
    task.save(tmp_path / "runs" / "news")
    monkeypatch.chdir(tmp_path)
    (code,) = blocks(PAGE, "python")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, str(PAGE), "exec"), {})
    printed = [ast.literal_eval(line) for line in said.getvalue().splitlines()]
    assert len(printed) == 5
    vocabulary = task.tokenizer.vocabulary
    for each in printed:
        assert list(each) == ["sequence", "score", "token", "token_str"]
        assert vocabulary[each["token"]] == each["token_str"]
        assert "[MASK]" not in each["sequence"]
    scores = [each["score"] for each in printed]
    assert scores == sorted(scores, reverse=True) and 0 < np.sum(scores) < 1
