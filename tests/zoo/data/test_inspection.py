"""What `inspect` says of a file."""

import numpy as np
import pytest

from zoo.data.inspection import inspect
from zoo.errors import UserError

TEXTS = [f"{'very ' * (i % 4)}fine day number {chr(97 + i)}" for i in range(23)]
LABELS = ["sun", "rain", "sun", "wind"] * 6


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "a.csv"
    rows = "".join(f"{7 * i},{text},{LABELS[i]}\n" for i, text in enumerate(TEXTS))
    path.write_text("key,note,kind\n" + rows + "only\n\n" + f"0,{TEXTS[0]},sun\n")
    return path


def test_columns_rows_and_task_of_a_table(table):
    found = inspect(table)
    assert (found.task, found.header, found.rows) == ("text-classifier", True, 24)
    assert (found.blank, found.duplicates, found.overlap) == (1, 1, None)
    assert found.bad == ["25: expected 3 columns, found 1"]
    assert [each.name for each in found.columns] == ["key", "note", "kind"]
    key, note, kind = found.columns
    assert (note.kind, note.distinct, note.longest) == ("text", 23, max(map(len, TEXTS)))
    assert kind.kind == "label" and kind.values == {"sun": 13, "rain": 6, "wind": 5}
    assert key.kind == "number" and key.empty == 0
    assert found.texts == [*TEXTS, TEXTS[0]]


def test_validation_rows_that_are_known_from_training(table, tmp_path):
    (tmp_path / "v.csv").write_text(f"note,kind\n{TEXTS[3]},rain\nnew,sun\n{TEXTS[5]},sun\n")
    assert inspect(table, tmp_path / "v.csv").overlap == 2


@pytest.mark.parametrize(
    ("name", "content", "task"),
    [
        ("a.tsv", "".join(f"{text}\tT{text}\n" for text in TEXTS), "text-to-text"),
        ("a.txt", "to be or not to be\nthat is the question\n", "causal-lm"),
        ("a.conll", "Ann B-PER\nsings O\n\nrain O\nfalls O\n", "token-tagger"),
        ("a.jsonl", "".join(f'{{"body": "{text}"}}\n' for text in TEXTS), "causal-lm"),
        ("a.csv", "a,b,c,d\n" + "x y z,x z y,z x y,z y x\n" * 2, None),
    ],
)
def test_the_task_that_fits(tmp_path, name, content, task):
    (tmp_path / name).write_text(content)
    found = inspect(tmp_path / name)
    assert found.task == task
    if task is None:
        assert "text-classifier: " in found.understood and "text-to-text: " in found.understood


def test_unknown_names_above_texts_are_no_row(tmp_path):
    (tmp_path / "a.csv").write_text("a,b,c\n" + "".join(f"{x},on {x},off {x}\n" for x in TEXTS))
    found = inspect(tmp_path / "a.csv")
    assert (found.header, found.rows) == (True, 23)
    assert [each.name for each in found.columns] == ["a", "b", "c"]


def test_a_file_that_is_missing(tmp_path):
    with pytest.raises(UserError, match=r"b\.csv does not exist"):
        inspect(tmp_path / "b.csv")


@pytest.mark.parametrize("text", ["when,id,x,label\n", "id,x,y,class\n"])
def test_a_table_of_series_with_labels(tmp_path, text):
    rows = "".join(f"{i},{'ab'[i // 7]},{i % 3},{'pq'[i // 7]}\n" for i in range(14))
    if not text.startswith("when"):
        rows = "".join(f"{'ab'[i // 7]},{i % 3},{i},{'pq'[i // 7]}\n" for i in range(14))
    (tmp_path / "a.csv").write_text(text + rows)
    found = inspect(tmp_path / "a.csv")
    assert found.task == "series-classifier" and "2 series of 7 steps with 2 labels" in str(found)


@pytest.mark.parametrize(
    ("x", "task"),
    [
        (np.arange(35.0).reshape(7, 5), "series-classifier"),
        (np.arange(-5.0, 37).reshape(7, 3, 2), "series-classifier"),
        (
            np.where(np.arange(42) == 17, np.nan, np.arange(42)).reshape(7, 3, 2),
            "series-classifier",
        ),
        (np.arange(168).reshape(7, 6, 4), "image-classifier"),
    ],
)
def test_arrays_of_series_or_images(tmp_path, x, task):
    np.savez(tmp_path / "a.npz", x=np.concatenate([x] * 4), y=np.array(list("ababbba") * 4))
    found = inspect(tmp_path / "a.npz")
    assert found.duplicates == 21
    assert (found.task, found.rows, found.columns[0].values) == (task, 28, {"b": 16, "a": 12})
