"""Windows of running text: each token is predicted once, from the tokens before it."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zoo.data.batching.windows import TokenWindows, token_stream
from zoo.data_statistics import describe
from zoo.errors import UserError
from zoo.preprocessing.model_inputs import next_token_inputs
from zoo.text import train_tokenizer


def prepare(columns):
    return next_token_inputs(columns["token_ids"])


def make(ids, length, batch_size, **options):
    return TokenWindows(ids, length, batch_size, prepare, **options)


def pairs_of(batches):
    """(token, label) of every position that counts."""
    return [
        (int(token), int(label))
        for x in batches
        for row in x["token_ids"]
        for token, label in itertools.pairwise(row)
        if label
    ]


sizes = st.tuples(st.integers(2, 60), st.integers(1, 13), st.integers(1, 5))


@given(sizes)
@settings(deadline=None)
def test_in_order_every_token_is_foretold_once(drawn):
    count, length, rows = drawn
    ids = np.arange(4, 4 + count)
    windows = make(ids, length, rows)
    batches = list(windows.columns(shuffle=False))
    assert pairs_of(batches) == list(itertools.pairwise(ids.tolist()))
    assert len(batches) == windows.steps(shuffle=False)
    for x in batches:
        assert x["token_ids"].shape == (rows, windows.length + 1)
        assert x["token_ids"].dtype == np.int32


@given(sizes, st.integers(0, 3))
@settings(deadline=None)
def test_shuffled_windows_do_not_overlap_and_come_in_the_number_that_is_said(drawn, epoch):
    count, length, rows = drawn
    windows = make(np.arange(4, 4 + count), length, rows, seed=7)
    batches = list(windows.columns(epoch))
    assert len(batches) == windows.steps_per_epoch
    actual = pairs_of(batches)
    assert all(label == token + 1 for token, label in actual)
    assert len(set(actual)) == len(actual) > (count - 1) - 2 * windows.length
    assert sum(windows.left_out(shuffle=True).values()) == count - 1 - len(actual)


def test_epochs_differ_and_are_the_same_whenever_they_are_read():
    windows = make(np.arange(4, 200), 7, 3, seed=7)
    first, second = (pairs_of(windows.columns(epoch)) for epoch in (0, 1))
    assert first != second and pairs_of(windows.columns(1)) == second
    begins = {min(pairs_of(windows.columns(epoch))) for epoch in range(20)}
    assert len(begins) == 7  # of a window, wherever it may begin


def test_lanes_go_on_from_batch_to_batch():
    windows = make(np.arange(4, 4 + 47), 5, 3, stateful=True)
    batches = [x["token_ids"][:, :-1] for x in windows.columns()]
    assert len(batches) == windows.steps_per_epoch == 3
    stateful = np.concatenate(batches, axis=1)
    np.testing.assert_array_equal(np.diff(stateful, axis=1), 1)
    assert stateful[:, 0].tolist() == [4, 4 + 15, 4 + 30]
    assert describe(windows.left_out(shuffle=True)) == ["1 token left out (at the end)"]
    assert not windows.left_out(shuffle=False)


def test_a_dataset_repeats_epoch_after_epoch():
    windows = make(np.arange(4, 30), 5, 2, seed=7)
    steps = windows.steps_per_epoch
    actual = list(windows.dataset(1, repeat=True).take(2 * steps).as_numpy_iterator())
    for epoch, part in ((1, actual[:steps]), (2, actual[steps:])):
        for (x, labels), columns in zip(part, windows.columns(epoch), strict=True):
            np.testing.assert_array_equal(labels, columns["token_ids"][:, 1:])
            np.testing.assert_array_equal(x["padding_mask"], labels != 0)
            real = columns["token_ids"][:, :-1] * x["padding_mask"]
            np.testing.assert_array_equal(x["token_ids"], real)


def test_padding_may_have_another_id():
    (x,) = make(np.arange(7), 4, 2, pad=-1).columns(shuffle=False)
    assert x["token_ids"].tolist() == [[0, 1, 2, 3, 4], [4, 5, 6, -1, -1]]


def test_documents_stand_between_ends():
    tokenizer = train_tokenizer("wordpiece", ["one two"], 30)
    ids = [tokenizer.tokenize([text]).flat_values.numpy().tolist() for text in ("one two", "two")]
    assert token_stream(["one two", "two"], tokenizer).tolist() == [3, *ids[0], 3, *ids[1], 3]


@pytest.mark.parametrize(
    ("count", "options", "message"),
    [
        (1, {}, "needs at least 2 tokens, found 1"),
        (5, {"stateful": True, "batch_size": 3}, "needs at least 6 tokens, found 5"),
        (9, {"length": 0}, "length must be at least 1, got 0"),
        (9, {"batch_size": 0}, "batch_size must be at least 1, got 0"),
    ],
)
def test_what_makes_no_windows(count, options, message):
    with pytest.raises(UserError, match=message):
        make(np.arange(4, 4 + count), **{"length": 3, "batch_size": 2, **options})


def test_texts_are_tokenized_in_chunks(monkeypatch):
    tokenizer = train_tokenizer("bytes", [], 300)
    texts = ["ab", "", "c", "dad", "e"]
    whole = token_stream(texts, tokenizer)
    assert whole.dtype == np.int32
    monkeypatch.setattr("zoo.data.batching.windows._CHUNK", 2)
    np.testing.assert_array_equal(token_stream(texts, tokenizer), whole)
