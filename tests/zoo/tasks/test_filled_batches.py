"""Batches of tables of short texts: larger, in the same memory and with the same answers."""

import numpy as np
import pytest

import zoo
from zoo.cli.predicted_tables import MANY, ROWS, answers_of
from zoo.preprocessing.text import LONG, MOST

TEXTS = [f"{'fine' if n % 3 else 'dull'} {'film ' * (n % 7)}{n}" for n in range(1031)]


@pytest.fixture(scope="module")
def task():
    task = zoo.TextClassifier("rnn_classifier", "tiny", vocabulary_size=50)
    rows = [("a fine film", "good"), ("a dull one", "bad")] * 9
    task.fit(rows, epochs=1, xla=False, verbose=False)
    return task


def batches(task, texts, batch_size=None):
    """The numbers of rows and the longest text of each batch, and the cells."""
    seen, run = [], task.runner()

    def counted(name, features):
        seen.append(features["row"].tolist())
        return run(name, features)

    task.answering = counted
    try:
        cells = task.predict_cells(texts, batch_size)
    finally:
        task.answering = None
    return [(len(rows), max(len(texts[i]) for i in rows)) for rows in seen], cells


def test_answers_are_those_of_small_batches(task):
    counts, cells = batches(task, TEXTS)
    assert [count for count, _ in counts] == [MOST, len(TEXTS) - MOST]
    small, expected = batches(task, TEXTS, 64)
    assert [count for count, _ in small] == [64] * 16 + [7]
    assert [cell["prediction"] for cell in cells] == [cell["prediction"] for cell in expected]
    scores = [[cell["score"] for cell in each] for each in (cells, expected)]
    np.testing.assert_allclose(*scores, rtol=1e-5)


def test_long_texts_keep_the_batch_size(task):
    texts = ["x" * length for length in (LONG, LONG // 5, 3) for _ in range(101)]
    counts, _ = batches(task, texts)
    assert counts[0] == (64, LONG)
    # 37 long ones are left: a batch that begins with one has no more rows.
    assert counts[1] == (64, LONG)
    assert counts[2] == (175, LONG // 5)
    assert sum(count for count, _ in counts) == len(texts)
    assert all(count * longest <= 64 * LONG for count, longest in counts)


def test_only_answers_that_are_quick_have_large_parts(task):
    assert answers_of(task, {}, None, {}).rows == MANY == 1024
    generator = zoo.CausalLM("gpt", "tiny", vocabulary_size=60)
    generator.adapt(["a fine film"] * 9)
    assert answers_of(generator, {}, None, {}).rows == ROWS == 256
