"""Plain texts from files, folders and memory."""

import pytest

from zoo.data.readers.documents import read_documents
from zoo.errors import DataError, UserError


def test_a_file_is_one_and_a_folder_has_one_a_file(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.txt").write_bytes("\ufeffz\u00e4\nzwei\n".encode())
    (tmp_path / "a.txt").write_text("eins")
    (tmp_path / "c.txt").write_text(" \n")
    (tmp_path / "notes.md").write_text("not read")
    actual = read_documents(tmp_path)
    assert actual.texts == ["eins", "z\u00e4\nzwei\n"]
    assert str(actual) == f"{tmp_path}: 2 documents of 12 characters; 1 empty document skipped"
    assert read_documents(tmp_path / "a.txt").texts == ["eins"]


def test_blank_lines_among_json_lines_are_counted(tmp_path):
    (tmp_path / "a.jsonl").write_text('\n{"text": "eins"}\n \n{"text": "zwei"}\n\n')
    actual = read_documents(tmp_path / "a.jsonl")
    assert actual.texts == ["eins", "zwei"] and actual.empty == 3
    assert str(actual).endswith("; 3 empty documents skipped")


def test_a_byte_that_is_no_text_names_its_line(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"one\ntwo\xff\n")
    with pytest.raises(DataError, match=r"a\.txt:2: byte 0xff is not UTF-8"):
        read_documents(tmp_path / "a.txt")


def test_nothing_to_read(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "blank.txt").write_text("\n")
    for data, message in (
        (tmp_path / "missing.txt", "missing.txt does not exist"),
        (tmp_path / "empty", "contains no .txt files"),
        (tmp_path / "blank.txt", "contains no text"),
        ([], "there are no texts"),
        ([" "], "contains no text"),
    ):
        with pytest.raises(UserError, match=message):
            read_documents(data)


@pytest.mark.parametrize(
    ("line", "half"),
    [
        ("to be or not to be", "to be or"),
        ("that is incomprehensible", "that is"),
        ("incomprehensible to me", "incomprehensible"),
        ("    indented words  ", "    indented"),
        ("a\tb c", "a\tb"),
        ("Hamlet:\n", "Hamlet:"),
        ("生存还是毁灭", "生存还是毁灭"),
    ],
)
def test_lines_are_cut_between_words(line, half):
    assert read_documents([f" \n{line}", "another line"]).half_lines(1) == [half]
