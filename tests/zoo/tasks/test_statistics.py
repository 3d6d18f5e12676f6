"""What of odd data no model sees: every task counts it, in the log of a run and in one line."""

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import zoo
from tests.zoo.tasks.stand_in import StandIn
from zoo.errors import UserError

BERT = {"hidden_dim": 8, "num_heads": 2, "intermediate_dim": 8, "num_layers": 1}
LONG = "two " * 9
TEXTS = ["two", "", LONG, "ж"]  # one token, none, too many, and one without a piece
BLANK = "1 blank line skipped"
LOST = "1 text truncated to 4 tokens; 1 text without tokens; 1 unknown token"


@dataclasses.dataclass(frozen=True)
class Case:
    """A task, odd files for it, and what is to be said of them.

    Args:
        make: Makes the task.
        data: What it is adapted to.
        file: The name of a file.
        content: What is in it.
        logged: Parts of what training logs of it.
        evaluated: The line about scoring it, behind its name.
        predicted: The line about predicting from `texts`.
        texts: Those texts.
        scored: What is scored, where that is something else.
    """

    make: Callable[[], Any]
    data: Any
    file: str
    content: str
    logged: list[str]
    evaluated: str
    predicted: str = LOST
    texts: Any = dataclasses.field(default_factory=lambda: TEXTS)
    scored: str | None = None


WORDS = ["one two. two one. three two one.", "two three. one three two."]
DOCUMENTS = (
    '{"text": "one two. two ж. two two two two two two two two two."}\n\n'
    '{"text": "one.\\n\\u0000\\ntwo. three"}\n'
)
LABELLED = f"one\tgood\n\nж\tbad\n{LONG}\tgood\n"
MASKED = ["[MASK]", "", "two [MASK] ж", LONG + "[MASK]"]
MASKED_LOST = (
    "1 text truncated to 8 tokens; 1 text without tokens; 1 unknown token; 1 mask truncated"
)
EMPTY = "1 empty document skipped"
NO_TOKENS = "1 sentence without tokens; 1 unknown token"

CASES = {
    "text-to-text": Case(
        lambda: zoo.TextToText(**BERT, max_source_length=4, max_target_length=4),
        [("one two", "two one"), ("two", "one")],
        "odd.tsv",
        f"one\ttwo\n\nж\tж\n{LONG}\t{LONG}\n",
        [BLANK, "1 source truncated to 4 tokens; 2 unknown tokens; 1 target truncated to 4 tok"],
        f"{BLANK}; 1 source truncated to 4 tokens; 1 unknown token",
        LOST.replace("text truncated", "source truncated"),
    ),
    "causal-lm": Case(
        lambda: zoo.CausalLM(
            "rnn_lm", embedding_dim=8, units=8, num_layers=1, tokenizer="wordpiece", max_length=8,
            max_new_tokens=4,
        ),  # fmt: skip
        WORDS,
        "odd.jsonl",
        DOCUMENTS,
        [EMPTY, "1 unknown token", "epoch 1: 14 tokens left out (different ones in every epoch)"],
        f"{EMPTY}; 1 unknown token",
        LOST.replace("text truncated to", "prompt truncated to the last"),
    ),
    "masked-lm": Case(
        lambda: zoo.MaskedLM(**BERT, max_length=8),
        WORDS,
        "odd.jsonl",
        DOCUMENTS,
        [EMPTY, NO_TOKENS, "tokens truncated from pairs longer than 8",
         "epoch 1: 1 pair left out (different ones in every epoch)"],
        f"{EMPTY}; {NO_TOKENS}; 6 tokens truncated from pairs longer than 8",
        MASKED_LOST,
        MASKED,
    ),
    "denoising": Case(
        lambda: zoo.Denoising(**BERT, max_length=8),
        WORDS,
        "odd.jsonl",
        DOCUMENTS,
        [EMPTY, NO_TOKENS, "epoch 1: 1 passage left out (different ones in every epoch)"],
        f"{EMPTY}; {NO_TOKENS}",
        MASKED_LOST.replace("text truncated", "source truncated"),
        MASKED,
    ),
    "text-classifier": Case(
        lambda: zoo.TextClassifier(num_buckets=11, max_length=4),
        [("one two", "good"), ("two", "bad")],
        "odd.tsv",
        LABELLED,
        [BLANK, "1 text truncated to 4 tokens; 1 unknown token"],
        f"{BLANK}; 1 text truncated to 4 tokens; 1 unknown token",
    ),
    "token-tagger": Case(
        lambda: zoo.TokenTagger(**BERT, tokenizer="characters", max_length=7),
        [(["one", "two"], ["A", "B"])],
        "odd.conll",
        "one A\n\n\nonetwo B\nж A\n\n",
        ["1 word truncated; 1 unknown token"],
        "1 word truncated; 1 unknown token",
        "1 word truncated; 2 unknown tokens",
        ["one", "", "onetwo ж ж", "two"],
    ),
    "text-embedder": Case(
        lambda: zoo.TextEmbedder(preset="tiny", **BERT, max_length=4),
        [("one two", "two one"), ("two", "one")],
        "odd.tsv",
        f"one\ttwo\n\nж\tж\n{LONG}\tone\n",
        [BLANK, "1 text truncated to 4 tokens; 2 unknown tokens"],
        f"{BLANK}; 1 text truncated to 4 tokens; 1 unknown token",
        scored=f"one\ttwo\t5\n\nж\tone\t1\n{LONG}\tone\t0.5\n",
    ),
    "multi-task": Case(
        lambda: zoo.MultiTask(**BERT, max_length=4),
        {"films": [("one two", "good"), ("two", "bad")]},
        "odd.tsv",
        LABELLED,
        [f"header: no; {BLANK}", "1 text truncated to 4 tokens; 1 unknown token"],
        f"{BLANK}; 1 text truncated to 4 tokens; 1 unknown token",
    ),
}  # fmt: skip


@functools.cache
def adapted(name):
    task = CASES[name].make()
    task.adapt(CASES[name].data)
    return task


def given(name, path):
    """A file, as the task takes it."""
    return {"films": path} if name == "multi-task" else path


def predict(name, texts):
    if name == "multi-task":
        return adapted(name).predict({"films": texts})["films"]
    return adapted(name).predict(texts)


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", CASES)
def test_scoring_a_file_says_what_is_lost_of_it(name, tmp_path, caplog):
    case, path = CASES[name], tmp_path / CASES[name].file
    path.write_text(case.scored or case.content)
    scores = adapted(name).evaluate(given(name, path))
    assert caplog.messages == [f"{path}: {case.evaluated}"]
    assert all(math.isfinite(score) for score in scores.values())


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", CASES)
def test_predicting_says_what_is_lost_of_texts(name, caplog):
    case = CASES[name]
    actual = predict(name, case.texts)
    assert caplog.messages == [f"predict: {case.predicted}"]
    assert len(actual) == len(case.texts)
    caplog.clear()
    predict(name, case.texts[:1])
    assert caplog.messages == []


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == "causal-lm" else pytest.mark.long) for name in CASES],
)
def test_training_logs_what_is_lost_of_its_data(name, tmp_path):
    case, path = CASES[name], tmp_path / CASES[name].file
    path.write_text(case.content)
    task = case.make()
    task.adapt(case.data)
    sizes = {"batch_size": 3} if path.suffix == ".jsonl" else {}
    history = task.fit(
        given(name, path), epochs=1, xla=False, folder=tmp_path / "run", verbose=False, **sizes
    )
    assert np.isfinite(history.history["loss"]).all()
    log = (tmp_path / "run" / "log.txt").read_text()
    for part in case.logged:
        assert part in log, log


@pytest.mark.parametrize(
    "name", [name for name in CASES if name not in ("denoising", "multi-task", "causal-lm")]
)
def test_scoring_an_artifact_says_the_same(name, tmp_path, caplog):
    case, path = CASES[name], tmp_path / CASES[name].file
    path.write_text(case.scored or case.content)
    adapted(name).evaluate_artifact(StandIn(adapted(name)), path)
    assert caplog.messages == [f"{path}: {case.evaluated}"]


def test_what_a_stream_goes_on_from_is_said(caplog):
    assert list(adapted("causal-lm").stream(LONG, max_new_tokens=2))
    assert caplog.messages == ["stream: 1 prompt truncated to the last 4 tokens"]


def test_masks_that_are_truncated_are_said(caplog):
    task = adapted("masked-lm")
    assert len(task.fill_mask("[MASK] " + LONG + "[MASK]")) == 1
    assert caplog.messages == ["fill_mask: 1 text truncated to 8 tokens; 1 mask truncated"]
    with pytest.raises(UserError, match=r"no \[MASK\] in its first 8 tokens"):
        task.fill_mask(LONG + "[MASK]")


@pytest.mark.thorough
def test_a_text_whose_attention_is_shown_is_said(caplog):
    adapted("text-to-text").attention(LONG)
    assert caplog.messages == ["attention: 1 source truncated to 4 tokens"]
