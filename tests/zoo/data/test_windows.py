"""Windows of running text: what each token is followed by, and that none is lost."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from zoo.data.documents import read_documents
from zoo.data.windows import TokenWindows, token_stream

from zoo.data_statistics import describe
from zoo.errors import DataError, UserError
from zoo.text import train_tokenizer


def pairs_of(batches):
    """(token, label) of every position that counts."""
    return [
        (int(token), int(label))
        for x, labels in batches
        for token, label in zip(x["token_ids"][labels > 0], labels[labels > 0], strict=True)
    ]


sizes = st.tuples(st.integers(2, 60), st.integers(1, 13), st.integers(1, 5))


@given(sizes)
@settings(deadline=None)
def test_in_order_every_token_is_foretold_once(drawn):
    count, length, rows = drawn
    ids = np.arange(4, 4 + count)
    windows = TokenWindows(ids, length, rows)
    batches = list(windows.batches(shuffle=False))
    assert pairs_of(batches) == list(zip(ids[:-1].tolist(), ids[1:].tolist(), strict=True))
    for x, labels in batches:
        assert x["token_ids"].shape == labels.shape == (rows, windows.length)
        np.testing.assert_array_equal(x["padding_mask"], labels != 0)


@given(sizes, st.integers(0, 3))
@settings(deadline=None)
def test_shuffled_windows_do_not_overlap_and_come_in_the_number_that_is_said(drawn, epoch):
    count, length, rows = drawn
    windows = TokenWindows(np.arange(4, 4 + count), length, rows, seed=7)
    batches = list(windows.batches(epoch))
    assert len(batches) == windows.steps_per_epoch
    found = pairs_of(batches)
    assert all(label == token + 1 for token, label in found)
    assert len(set(found)) == len(found) > (count - 1) - 2 * windows.length
    assert sum(windows.left_out(shuffle=True).values()) == count - 1 - len(found)


def test_epochs_differ_and_are_the_same_whenever_they_are_read():
    windows = TokenWindows(np.arange(4, 200), 7, 3, seed=7)
    first, second = (pairs_of(windows.batches(epoch)) for epoch in (0, 1))
    assert first != second and pairs_of(windows.batches(1)) == second
    begins = {min(pairs_of(windows.batches(epoch))) for epoch in range(20)}
    assert len(begins) == 7  # of a window, wherever it may begin


def test_lanes_go_on_from_batch_to_batch():
    windows = TokenWindows(np.arange(4, 4 + 47), 5, 3, stateful=True)
    batches = [x["token_ids"] for x, _ in windows.batches()]
    assert len(batches) == windows.steps_per_epoch == 3
    stateful = np.concatenate(batches, axis=1)
    np.testing.assert_array_equal(np.diff(stateful, axis=1), 1)
    assert stateful[:, 0].tolist() == [4, 4 + 15, 4 + 30]
    assert describe(windows.left_out(shuffle=True)) == [
        "1 tokens at the end left out, the same each time"
    ]
    assert not windows.left_out(shuffle=False)


def test_a_dataset_repeats_epoch_after_epoch():
    windows = TokenWindows(np.arange(4, 30), 5, 2, seed=7)
    steps = windows.steps_per_epoch
    found = list(windows.dataset(1, repeat=True).take(2 * steps).as_numpy_iterator())
    assert pairs_of(found[:steps]) == pairs_of(windows.batches(1))
    assert pairs_of(found[steps:]) == pairs_of(windows.batches(2))


def test_documents_stand_between_ends():
    tokenizer = train_tokenizer("wordpiece", ["one two"], 30)
    ids = [tokenizer.tokenize([text]).flat_values.numpy().tolist() for text in ("one two", "two")]
    assert token_stream(["one two", "two"], tokenizer).tolist() == [3, *ids[0], 3, *ids[1], 3]


@pytest.mark.parametrize(
    ("count", "options", "message"),
    [
        (1, {}, "1 tokens are too few for 1 rows"),
        (5, {"stateful": True, "batch_size": 3}, "5 tokens are too few for 3 rows"),
        (9, {"length": 0}, "length must be at least 1, got 0"),
        (9, {"batch_size": 0}, "batch_size must be at least 1, got 0"),
    ],
)
def test_what_makes_no_windows(count, options, message):
    with pytest.raises(UserError, match=message):
        TokenWindows(np.arange(4, 4 + count), **{"length": 3, "batch_size": 2, **options})


class TestDocuments:
    def test_a_file_is_one_and_a_folder_has_one_a_file(self, tmp_path):
        (tmp_path / "b").mkdir()
        (tmp_path / "b" / "two.txt").write_bytes("\ufeffz\u00e4\nzwei\n".encode())
        (tmp_path / "a.txt").write_text("eins")
        (tmp_path / "c.txt").write_text(" \n")
        (tmp_path / "notes.md").write_text("not read")
        found = read_documents(tmp_path)
        assert found.texts == ["eins", "z\u00e4\nzwei\n"]
        assert str(found) == f"{tmp_path}: 2 documents of 12 characters; 1 empty documents skipped"
        assert read_documents(tmp_path / "a.txt").texts == ["eins"]

    def test_blank_lines_among_json_lines_are_counted(self, tmp_path):
        (tmp_path / "a.jsonl").write_text('\n{"text": "eins"}\n \n{"text": "zwei"}\n\n')
        found = read_documents(tmp_path / "a.jsonl")
        assert found.texts == ["eins", "zwei"] and found.empty == 3
        assert str(found).endswith("; 3 empty documents skipped")

    def test_a_byte_that_is_no_text_names_its_line(self, tmp_path):
        (tmp_path / "a.txt").write_bytes(b"one\ntwo\xff\n")
        with pytest.raises(DataError, match=r"a\.txt:2: byte 0xff is not UTF-8"):
            read_documents(tmp_path / "a.txt")

    def test_nothing_to_read(self, tmp_path):
        (tmp_path / "empty").mkdir()
        (tmp_path / "blank.txt").write_text("\n")
        for data, message in (
            (tmp_path / "missing.txt", "missing.txt does not exist"),
            (tmp_path / "empty", "holds no .txt files"),
            (tmp_path / "blank.txt", "holds no text"),
            ([], "there are no texts"),
            ([" "], "holds no text"),
        ):
            with pytest.raises(UserError, match=message):
                read_documents(data)
