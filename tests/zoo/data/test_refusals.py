"""Files and folders that no task reads: what `inspect` says of them."""

import gzip
import io
import re
import zipfile

import numpy as np
import pytest
from PIL import Image

from zoo.data.inspection import inspect
from zoo.data.readers.labels import read_labeled
from zoo.errors import UserError

ROWS = [(f"a fine day number {i}", ("sun", "rain")[i % 2]) for i in range(24)]


def archive(name="xl/workbook.xml", text="<a/>"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as each:
        each.writestr(name, text)
    return file.getvalue()


GRAPH = "is a graph in a format that is not read: write the graph as two tables in a folder"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.xlsm", archive(), "is an Excel or OpenDocument file, or a ZIP archive, not text: save"),
        ("a.csv", archive(), "is an Excel or OpenDocument file, or a ZIP archive, not text: save"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1", "is an old Excel or Word file, not text: save"),
        (
            "a.ods",
            archive("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
            "is an OpenDocument spreadsheet, not text: save it as an Excel workbook (.xlsx), or",
        ),
        ("a.txt", b"%PDF-1.7\n", "is a PDF file, not text"),
        (
            "a.csv",
            gzip.compress(b"text,label", mtime=0),
            "compressed with gzip, not text: let its name end",
        ),
        (
            "a.gml",
            b"graph [ node [ id 1 ] ]",
            GRAPH,
        ),
        (
            "a.graphml",
            b"<graphml/>",
            GRAPH,
        ),
        ("a.arff", b"@relation x", "is a table in a format of its own: write its rows as CSV"),
    ],
)
def test_files_of_other_programs(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=f"{re.escape(name)} .*{re.escape(message)}"):
        inspect(tmp_path / name)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["x/1/2/a.png", "y/1/2/b.png"], "has images, but no folder for each label: move each"),
        (["a.png", "b.png"], "such as .*cat/[ab].png"),
        (
            ["train/x/a.png", "test/y/b.png"],
            "inspect a part of it, such as .*test, .*train, or move",
        ),
        (
            ["train.tsv", "info.bin"],
            "folder of tables and other files: inspect one, .*train.tsv",
        ),
        (
            ["a.content", "a.cites"],
            "no files that a task reads: found 1 .(content|cites), 1 ",
        ),
        ([], "found nothing"),
    ],
)
def test_folders_say_what_is_in_them(tmp_path, files, message):
    for name in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("png"):
            Image.fromarray(np.zeros((8, 8), "uint8")).save(path)
        else:
            path.write_text("text\tlabel\n")
    with pytest.raises(UserError, match=message):
        inspect(tmp_path)


@pytest.mark.parametrize(
    ("row", "note"),
    [
        ("{1}|{0}\n", "; its lines have vertical bars between cells: a table, if its name ends in"),
        ("{1};{0}\n", "; its lines have semicolons between cells: a table, if its name ends in"),
        ("__label__{1} {0}\n", "; its lines have labels as fastText writes them: write a table"),
        ("{0}\n", " characters"),
    ],
)
def test_text_files_that_are_tables_are_noted(tmp_path, row, note):
    (tmp_path / "a.txt").write_text("".join(row.format(*each) for each in ROWS))
    actual = inspect(tmp_path / "a.txt")
    assert note in actual.understood and actual.task == "causal-lm"
    assert ("; its lines" in actual.understood) == ("; its lines" in note)


def test_files_with_their_columns_in_another_order(tmp_path):
    first = "".join(f"{text},{label}\n" for text, label in ROWS[:12])
    second = "".join(f"{label},{text}\n" for text, label in ROWS[12:])
    (tmp_path / "1.csv").write_text("text,label\n" + first)
    (tmp_path / "2.csv").write_text("label,text\n" + second + f"{ROWS[0][1]},{ROWS[0][0]}\n")
    actual = inspect(tmp_path / "*.csv")
    assert (actual.rows, actual.duplicates, actual.task) == (25, 1, "text-classifier")
    text, label = actual.columns
    assert label.values == {"sun": 13, "rain": 12} and text.distinct == 24
    assert read_labeled(tmp_path / "*.csv").texts == [*(text for text, _ in ROWS), ROWS[0][0]]


def test_why_no_row_is_valid(tmp_path):
    (tmp_path / "a.csv").write_text("label,text\n" + "sun,a, b, c\nrain,d, e\n" * 12)
    actual = inspect(tmp_path / "a.csv")
    assert actual.task is None
    assert "no row is valid; line 2: expected 2 columns, found 4" in actual.understood
