"""Labeled texts from files and from memory."""

import pytest

from zoo.data.readers.labels import read_labeled
from zoo.errors import DataError, UserError

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
    actual = read_labeled(tmp_path / name)
    assert actual.texts == ['a "fine" film', "so, so"] and actual.labels == ["good", "bad"]
    assert actual.seconds is None and actual.statistics["blank lines skipped"] == (name == "a.tsv")


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_of_every_format(name, tmp_path):
    (tmp_path / name).write_text(PAIRS[name])
    actual = read_labeled(tmp_path / name)
    assert (actual.texts, actual.seconds) == (["one", "three"], ["two", "four"])
    assert actual.labels == ["1", "0"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", "one\tgood\ntwo\n", r"a\.tsv:2: expected 2 columns, found 1"),
        ("a.tsv", "one\tgood\na\tb\tbad\n", r"a\.tsv:2: expected 2 columns, found 3"),
        ("a.tsv", "one\t\n", r"a\.tsv:1: the label is empty"),
        ("a.csv", "text,label\n ,good\n", r"a\.csv:2: the text is empty"),
        (
            "a.jsonl",
            '{"text": "x"}\n',
            r"cannot tell which .* label; the columns are text; choose with label_column",
        ),
        ("a.jsonl", '{"text": null, "label": "x"}\n', r"a\.jsonl:1: the text is empty"),
        ("a.jsonl", '{"text": "a", "label": NaN}\n', r"a\.jsonl:1: the label is empty"),
        ("a.jsonl", "[1]\n", r"a\.jsonl:1: expected an object"),
        ("a.jsonl", "[\n", r"a\.jsonl:1: not JSON"),
        ("a.tsv", "\n", "contains no labeled texts"),
        ("a.txt", "one\tgood\n", "can be read from .csv, .tsv, .jsonl, .json, .parquet"),
    ],
)
def test_a_bad_row_names_file_and_line(name, content, message, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises((DataError, UserError), match=message):
        read_labeled(tmp_path / name)


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
    assert read_labeled([("one", 1), ("two", 0)]).labels == ["1", "0"]
    with pytest.raises(DataError, match=f"^data in memory:2: {message}$"):
        read_labeled([("one", "good"), row])


def test_a_header_says_which_column_is_which(tmp_path):
    """In any order, with others beside; a row that reads like one is a row."""
    (tmp_path / "a.csv").write_text("label,id,text\ngood,1,a film\ntext,2,label\n")
    actual = read_labeled(tmp_path / "a.csv")
    assert (actual.texts, actual.labels) == (["a film", "label"], ["good", "text"])
    (tmp_path / "b.csv").write_text("a film,good\ntext,label\n")
    assert read_labeled(tmp_path / "b.csv").texts == ["a film", "text"]
