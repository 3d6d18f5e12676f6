"""What a trained task predicts, and what it is worth."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

import numpy as np
import pytest

import zoo
from tests.browser import CHROMIUM, visit
from tests.tasks import api
from tests.tasks.harness import Subject
from zoo.data_statistics import LOGGER
from zoo.errors import UserError
from zoo.models.attending import CROSS, DECODER, SENTENCES, WORDS
from zoo.models.prefix_gpt import PrefixGPT
from zoo.tasks.provenance import digests


def one_row(subject: Subject) -> None:
    """A text has the prediction and the numbers alone that it has among longer ones."""
    output, task, texts = subject.case.output, subject.served, subject.case.texts
    assert len({len(str(text)) for text in texts}) > 2
    output.same(output.predict(task, texts, batch_size=2), subject.predictions)
    for text, expected in zip(texts, subject.predictions, strict=True):
        (actual,) = output.predict(task, [text])
        output.same([actual], [expected])
    together = output.numbers(task, texts)
    alone = [row for text in texts for row in output.numbers(task, [text])]
    assert len(alone) == len(together) > 1
    for one, among in zip(alone, together, strict=True):
        np.testing.assert_allclose(one, among, rtol=1e-4, atol=1e-4)
    assert len(output.predict(task, [])) == 0


@contextmanager
def heard() -> Iterator[list[str]]:
    """The messages that are logged in the block."""
    actual: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: actual.append(record.getMessage())  # type: ignore[method-assign]
    LOGGER.addHandler(handler)
    try:
        yield actual
    finally:
        LOGGER.removeHandler(handler)


def evaluate(subject: Subject) -> None:
    """The scores are finite, the task's own, and those that predictions give by hand.

    Training data is named as such.
    """
    if digests(subject.data) and subject.task.name != "text-embedder":  # which trains on pairs
        with heard() as notes:
            subject.task.evaluate(subject.data)
        assert any("training data of this model" in x or "nodes" in x for x in notes), notes
    scores = subject.task.evaluate(subject.held_out)
    assert scores and all(type(each) is float and np.isfinite(each) for each in scores.values())
    assert subject.task.metrics == scores == subject.task.evaluate(subject.held_out)
    head = subject.case.head
    by_hand = subject.case.output.by_hand(subject.served, subject.data_of_served, scores)
    for name, value in by_hand.items():
        assert scores[f"{head}_{name}" if head else name] == pytest.approx(value, rel=1e-4)
    measured_by_name(subject, scores)


OF_SEVERAL = ("mae_per_target",)  # metrics of more targets than these tasks have


def measured_by_name(subject: Subject, scores: dict[str, float]) -> None:
    """Metrics have the same values by name, each in an interval; an unknown one lists those."""
    with pytest.raises(UserError) as error:
        subject.task.evaluate(subject.held_out, metrics=["beauty"])
    listed = re.split("[Cc]hoose from ", str(error.value))[1].split(", ")
    names = [name for name in listed if name not in OF_SEVERAL]
    comparison = subject.task.compare(subject.held_out, metrics=names)
    assert comparison.model.keys() == comparison.intervals.keys()
    for name, value in comparison.model.items():
        low, high = comparison.intervals[name]
        assert -np.inf < low <= high < np.inf and np.isfinite(value)
        assert value == pytest.approx(scores.get(name, value), rel=1e-4)


def stream(subject: Subject) -> None:
    """The pieces, put together, are the prediction."""
    for text, expected in zip(subject.case.texts, subject.predictions, strict=True):
        pieces = list(subject.served.stream(text))
        assert "".join(pieces) == expected
        assert len(pieces) > 1 or len(expected) < 2


def attention(subject: Subject) -> None:
    """In every part of the model, the weights of each token add up to one, each by its name."""
    task, layers = subject.served, subject.served.model.attention_layers
    assert layers
    text = longest(subject)
    actual = {part: task.attention(text, part=part) for part in layers}
    for part, maps in actual.items():
        for each in maps:
            shape = (each.heads, len(each.target_tokens), len(each.source_tokens))
            assert each.weights.shape == shape
            assert (each.weights >= 0).all()
        assert max(np.ptp(each.weights) for each in maps) > 0
        if part in (WORDS, SENTENCES):
            (document,) = actual[SENTENCES]
            counts = {WORDS: len(document.source_tokens), SENTENCES: 1}
            assert [each.name for each in maps] == [part] * counts[part]
            continue
        assert [each.name for each in maps] == [f"{part}_{layer}" for layer in range(layers[part])]
        assert all(min(each.weights.shape[1:]) > 1 for each in maps)
    sums = {part: [each.weights.sum(axis=-1) for each in maps] for part, maps in actual.items()}
    if isinstance(task.model, PrefixGPT):  # attends to the source and to its output at once
        sums[DECODER] = list(map(np.add, sums[DECODER], sums.pop(CROSS)))
    for each in sums.values():
        assert all(np.allclose(weights, 1, atol=1e-5) for weights in each)
    with pytest.raises(UserError, match=f"part must be one of {', '.join(layers)} for"):
        task.attention(text, part="middle")


def longest(subject: Subject) -> Any:
    """The input that is long and has a long text as its output; of other tasks the first."""

    def length(pair: tuple[Any, Any]) -> int:
        return min(map(len, pair)) if all(isinstance(each, str) for each in pair) else 0

    return max(zip(subject.case.texts, subject.predictions, strict=True), key=length)[0]


def report(subject: Subject) -> None:
    """The page shows the task at work on a file, and keeps to its own policy."""
    subject.train()
    page = subject.folder / "report.html"
    where = ["--out", page, *api.data_arguments(subject.data)]
    actual = api.command("report", subject.run, *where)
    assert actual.exit_code == 0, actual.stderr or repr(actual.exception)
    assert CHROMIUM is None or visit(page).console == []
    text = re.sub("</?mark>", "", page.read_text("utf-8"))  # which show where texts differ
    data = api.of_head(subject.data, subject.case.head)
    for part in subject.case.output.shown(subject.served, data):
        assert escape(part) in text, part


def to_pretrained(subject: Subject) -> None:
    """The checkpoint for Hugging Face's library is read again as the same task."""
    folder = zoo.to_pretrained(subject.served, subject.folder / "hugging-face")
    again = zoo.from_pretrained(folder, subject.served.name)
    actual = subject.case.output.predict(again, subject.case.texts)
    subject.case.output.same(actual, subject.predictions)
