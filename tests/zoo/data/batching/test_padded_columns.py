"""Columns of examples: which rows a batch has, and what fills it up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zoo.data.batching import token_columns as columns
from zoo.data.batching.padded_columns import NestedSequences, Numbers, Sequences
from zoo.data.batching.token_columns import token_column
from zoo.preprocessing.documents import DocumentPreprocessor
from zoo.preprocessing.prompts import PromptPreprocessor
from zoo.preprocessing.text import TextPreprocessor
from zoo.text import train_tokenizer


@settings(max_examples=50, deadline=None)
@given(
    rows=st.lists(st.lists(st.integers(1, 97), max_size=7), min_size=1, max_size=11),
    fill=st.sampled_from([0, -1]),
    data=st.data(),
)
def test_a_batch_of_sequences_is_what_one_writes_row_by_row(rows, fill, data):
    column = Sequences.of(rows, fill)
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=5))
    actual = column.batch(np.array(chosen, int), size=5, lengths=(7,))
    assert actual.dtype == np.int32
    expected = [[*rows[i], *[fill] * (7 - len(rows[i]))] for i in chosen]
    assert actual.tolist() == expected + [[fill] * 7] * (5 - len(chosen))


def test_scalars_are_filled_up_with_no_label():
    column = Numbers(np.array([7, 8, 9], np.int64))
    assert column.batch(np.array([2, 0]), size=3).tolist() == [9, 7, -1]
    assert Numbers(np.array([7]), fill=5).batch(np.array([0]), 2).tolist() == [7, 5]
    assert column.spec.dtype.name == "int64"


TEXTS = ["one two three", "", "two", "one two three two one", "three é"]


@pytest.mark.parametrize("chunk", [1, 2, 1 << 16])
@pytest.mark.parametrize("kind", [TextPreprocessor, PromptPreprocessor])
def test_a_column_of_texts_is_what_the_preprocessor_serves(kind, chunk, monkeypatch):
    """However many are tokenized at a time."""
    monkeypatch.setattr(columns, "_TEXTS", chunk)
    preprocessor = kind(train_tokenizer("wordpiece", ["one two three"], 40), 4)
    column, statistics = token_column(preprocessor, {"text": TEXTS})
    expected = preprocessor(text=TEXTS)["token_ids"].numpy()
    actual = column.batch(np.arange(5), 5, expected.shape[1:])
    np.testing.assert_array_equal(actual, expected)
    np.testing.assert_array_equal(column.lengths, (expected != 0).sum(1))
    assert statistics[preprocessor.truncated] == 1
    assert statistics["texts without tokens"] == statistics["unknown tokens"] == 1


DOCUMENTS = ["one two. three!\n\none", "", "two", "one. " * 7, "three two one two three"]


@pytest.mark.parametrize("chunk", [1, 2, 1 << 8])
def test_a_column_of_documents_is_what_the_preprocessor_serves(chunk, monkeypatch):
    monkeypatch.setattr(columns, "_DOCUMENTS", chunk)
    preprocessor = DocumentPreprocessor(train_tokenizer("words", ["one two three ."], 40), 9, 3)
    column, statistics = token_column(preprocessor, {"text": DOCUMENTS})
    assert isinstance(column, NestedSequences)
    expected = preprocessor(text=DOCUMENTS)["token_ids"].numpy()
    actual = column.batch(np.arange(5), 7, expected.shape[1:])
    np.testing.assert_array_equal(actual[:5], expected)
    assert (actual[5:] == 0).all() and column.used == (expected != 0).sum()
    counts, longest = column.sizes
    assert counts.tolist() == [3, 1, 1, 5, 2] and longest.tolist() == [3, 1, 1, 2, 3]
    assert statistics[preprocessor.truncated] == statistics["texts without tokens"] == 1
