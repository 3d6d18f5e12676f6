"""Labelled texts from files, and their batches."""

import numpy as np
import pytest
from zoo.data.labelled import read_labelled
from zoo.data.labelled_batches import NO_LABEL, BucketedTexts
from zoo.data.tokenized import TokenizedTexts
from zoo.text.codec import TextCodec

from zoo.data_statistics import describe
from zoo.errors import DataError, UserError
from zoo.text import train_tokenizer

SINGLE = {
    "a.tsv": 'a "fine" film\tgood\n\nso, so\tbad\n',
    "a.csv": 'text,label\n"a ""fine"" film",good\n"so, so",bad\n',
    "a.jsonl": '{"text": "a \\"fine\\" film", "label": "good"}\n'
    '{"text": "so, so", "label": "bad"}\n',
}
PAIRS = {
    "a.tsv": "one\ttwo\t1\nthree\tfour\t0\n",
    "a.csv": "one,two,1\nthree,four,0\n",
    "a.jsonl": '{"text": "one", "second": "two", "label": 1}\n'
    '{"text": "three", "second": "four", "label": 0}\n',
}


@pytest.mark.parametrize("name", SINGLE)
def test_single_texts_of_every_format(name, tmp_path):
    (tmp_path / name).write_text(SINGLE[name])
    found = read_labelled(tmp_path / name)
    assert found.texts == ['a "fine" film', "so, so"] and found.labels == ["good", "bad"]
    assert found.seconds is None and found.blank_lines == (name == "a.tsv")


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_of_every_format(name, tmp_path):
    (tmp_path / name).write_text(PAIRS[name])
    found = read_labelled(tmp_path / name)
    assert (found.texts, found.seconds) == (["one", "three"], ["two", "four"])
    assert found.labels == ["1", "0"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", "one\tgood\ntwo\n", r"a\.tsv:2: expected 2 or 3 columns, found 1"),
        ("a.tsv", "one\tgood\na\tb\tbad\n", r"a\.tsv:2: expected 2 columns, found 3"),
        ("a.tsv", "one\t\n", r"a\.tsv:1: the label is empty"),
        ("a.csv", "text,label\n ,good\n", r"a\.csv:2: the text is empty"),
        ("a.jsonl", '{"text": "x"}\n', r'a\.jsonl:1: expected a text as "label"'),
        ("a.jsonl", '{"text": null, "label": "x"}\n', r'a\.jsonl:1: expected a text as "text"'),
        ("a.jsonl", "[1]\n", r'a\.jsonl:1: expected an object with "text" and "label"'),
        ("a.jsonl", "[\n", r"a\.jsonl:1: not JSON"),
        ("a.tsv", "\n", "holds no labelled texts"),
        ("a.txt", "one\tgood\n", "are read from files named .tsv, .csv, .jsonl"),
    ],
)
def test_a_bad_row_names_file_and_line(name, content, message, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises((DataError, UserError), match=message):
        read_labelled(tmp_path / name)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("two", None), "the label is empty"),
        (("", "good"), "the text is empty"),
        (("two", "three", "good"), "expected 2 columns, found 3"),
        ("ab", "expected a tuple of texts, found one text"),
    ],
)
def test_a_bad_row_in_memory_names_its_number(row, message):
    assert read_labelled([("one", 1), ("two", 0)]).labels == ["1", "0"]
    with pytest.raises(DataError, match=f"^rows in memory:2: {message}$"):
        read_labelled([("one", "good"), row])


def test_what_the_vocabulary_has_no_piece_for_is_counted():
    tokens = TokenizedTexts(["a b", "a", "é b a"], train_tokenizer("wordpiece", ["a a"], 20), 6)
    batches = BucketedTexts(tokens, range(3), tokens_per_batch=12)
    assert str(batches).endswith("); 3 unknown tokens")


TEXTS = ["a " * n for n in (1, 2, 9, 3, 8, 2, 1)]


def test_every_text_comes_once_an_epoch_with_its_label():
    tokens = TokenizedTexts(TEXTS, train_tokenizer("wordpiece", ["a a"], 20), 6)
    batches = BucketedTexts(tokens, range(7), tokens_per_batch=12, seed=3)
    assert str(batches).endswith("); 2 texts cut to 6 tokens")
    for epoch in (0, 1):
        seen = {}
        for x, labels in batches.batches(epoch):
            assert x["token_ids"].shape == x["padding_mask"].shape and len(labels) == len(
                x["token_ids"]
            )
            np.testing.assert_array_equal(x["padding_mask"].any(1), labels != NO_LABEL)
            seen |= dict(zip(labels, x["padding_mask"].sum(1), strict=True))
        seen.pop(NO_LABEL, None)
        assert seen == {i: min(len(text.split()) + 1, 6) for i, text in enumerate(TEXTS)}
    assert len(list(batches.dataset(0))) == batches.steps_per_epoch


def test_pairs_are_joined_by_the_end_token():
    tokenizer = train_tokenizer("wordpiece", ["one two three"], 40)
    one, two = (tokenizer.tokenize([text]).flat_values.numpy().tolist() for text in ("one", "two"))
    pairs = TokenizedTexts(["one"], tokenizer, 20, seconds=["two"])
    assert pairs.padded(np.array([0])).tolist() == [[*one, 3, *two, 3]]


def test_marked_pairs_begin_with_a_start_token_and_have_segments():
    """As Devlin et al. 2019 give them to the model; the marks count among the tokens."""
    tokenizer = train_tokenizer("wordpiece", ["one two three"], 40)
    firsts, seconds = ["one", "one two three", "", "two"], ["two", "one", "one", ""]
    pairs = TokenizedTexts(firsts, tokenizer, 7, seconds, starts=True)
    codec = TextCodec(tokenizer, 7, starts=True)
    whole = codec.encode(firsts, seconds).numpy()
    np.testing.assert_array_equal(pairs.padded(np.arange(4)), whole)
    assert pairs.lengths.tolist() == [5, 7, 4, 4] == (whole != 0).sum(1).tolist()
    assert describe(pairs.statistics) == []
    shorter = TokenizedTexts(firsts, tokenizer, 6, seconds, starts=True)
    assert describe(shorter.statistics) == ["1 texts cut to 6 tokens"]
    cut = TextCodec(tokenizer, 5, starts=True).encode(firsts, seconds).numpy()
    assert cut[1].tolist() == [*whole[1, :4], 3]

    batches = BucketedTexts(pairs, range(4), 28, max_buckets=1, segments=True)
    ((x, labels),) = batches.batches(shuffle=False)
    order = np.argsort(labels)
    assert x["segment_ids"][order].tolist() == [
        [0, 0, 0, 1, 1, 0, 0],
        [0, 0, 0, 0, 0, 1, 1],
        [0, 0, 1, 1, 0, 0, 0],
        [0, 0, 0, 1, 0, 0, 0],
    ]
    ((from_dataset, _),) = batches.dataset(shuffle=False)
    assert set(from_dataset) == {"token_ids", "padding_mask", "segment_ids"}


def test_a_header_says_which_column_is_which(tmp_path):
    """In any order, with others beside; a row that reads like one is a row."""
    (tmp_path / "a.csv").write_text("label,id,text\ngood,1,a film\ntext,2,label\n")
    found = read_labelled(tmp_path / "a.csv")
    assert (found.texts, found.labels) == (["a film", "label"], ["good", "text"])
    (tmp_path / "b.csv").write_text("a film,good\ntext,label\n")
    assert read_labelled(tmp_path / "b.csv").texts == ["a film", "text"]
