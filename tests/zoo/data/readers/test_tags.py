"""Words with tags from files and from memory."""

import pytest

from zoo.data.readers.tags import read_tagged
from zoo.errors import DataError, UserError


def test_a_file_of_conll(tmp_path):
    """Middle columns, document marks and comments are not read; blank lines end sentences."""
    path = tmp_path / "a.conll"
    path.write_bytes(
        "\ufeff-DOCSTART- -X- O O\n\n#comment\nAnn NNP B-PER\nsings VBZ O\n\n\nNew York\tB-LOC\n"
        "#\tO\n\r\n".encode()
    )
    actual = read_tagged(path)
    assert actual.words == [["Ann", "sings"], ["New York", "#"]]
    assert actual.tags == [["B-PER", "O"], ["B-LOC", "O"]]
    assert actual.inputs == {"text": ["Ann sings", "New York #"]}
    assert str(actual) == (
        f"{path}: 2 sentences, 4 words with 3 tags (IOB2); word = column 1, tag = last column; "
        "1 comment line skipped"
    )


def test_sentences_in_memory():
    actual = read_tagged([(["Ann"], ("B-PER",)), ([], []), (["sings"], ["O"])])
    assert (actual.words, actual.tags) == ([["Ann"], ["sings"]], [["B-PER"], ["O"]])
    assert str(actual).endswith(
        "data in memory: 2 sentences, 2 words with 2 tags (IOB2); 1 sentence without words skipped"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"Ann B-PER\nsings\n", "a.conll:2: expected a word and its tag"),
        (b"Ann\t\n", "a.conll:1: expected a word and its tag"),
        (b"Ann\tO\n\tO\n", "a.conll:2: column 1, that of the word, is empty"),
        (b"Ann O\n\xff O\n", "a.conll:2: byte 0xff at column 1 is not UTF-8"),
        (b"\n#nothing\n-DOCSTART-\n", "a.conll contains no tagged words"),
    ],
)
def test_a_bad_line_is_named(content, message, tmp_path):
    (tmp_path / "a.conll").write_bytes(content)
    with pytest.raises(UserError, match=message):
        read_tagged(tmp_path / "a.conll")


TABLE = [(f"a fine film, number {n}", "good" if n % 3 else "bad") for n in range(23)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "".join(f"{text.replace(',', '')},{label}\n" for text, label in TABLE)),
        ("a.csv", "Ann B-PER\n"),
        ("a.jsonl", "".join(f'{{"text": "{text}", "label": "bad"}}\n' for text, _ in TABLE)),
        ("a.json.gz", "[]"),
        ("a.parquet", ""),
        ("a.tsv", "".join(f"{text}\t{label}\n" for text, label in TABLE)),
        ("a.txt", "".join(f"{text}\n" for text, _ in TABLE)),
        ("a.txt", "\n".join(f"{text},{label}\n" for text, label in TABLE)),
    ],
)
def test_a_table_of_texts_is_refused(name, content, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(UserError) as caught:
        read_tagged(tmp_path / name)
    by_name = not name.endswith((".tsv", ".txt"))
    assert str(caught.value) == (
        f"{tmp_path / name} "
        + (
            "is a table by its name: expected columns word, tag and sentence_id, the first two of "
            "which word_column and tag_column may name, or a .conll file with "
            if by_name
            else ""
        )
        + ("" if by_name else "does not contain tagged words: expected ")
        + "a word and its tag on each line, and blank lines between sentences"
    )


def test_tagged_words_in_a_file_of_tabs(tmp_path):
    (tmp_path / "a.tsv").write_text("".join(f"w{n}\tT{n % 17}\n" for n in range(23)))
    assert len(read_tagged(tmp_path / "a.tsv").words[0]) == 23


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ((["a", "b"], ["O"]), "found 2 words, but 1 tag"),
        ((["a"], ["O"], ["X"]), "expected words and tags, found 3 lists"),
        ((["a", " "], ["O", "O"]), "a word is empty or not a string"),
        ((["a"], [None]), "a tag is empty or not a string"),
    ],
)
def test_a_bad_sentence_in_memory_names_its_number(sentence, message):
    with pytest.raises(DataError, match=f"^data in memory:2: {message}$"):
        read_tagged([(["a"], ["O"]), sentence])


def test_one_sentence_without_blank_lines_is_named(tmp_path, caplog):
    path = tmp_path / "a.conll"
    path.write_text("Ann PER\nsings O\nin O\nOslo LOC\n. O\n" * 7)
    with pytest.raises(UserError, match=r"too few sentences \(1 of 35 words: write blank lines"):
        read_tagged(path).split(0.1)
    assert not caplog.text
    path.write_text("Ann PER\nsings O\nin O\nOslo LOC\n. O\n" * 50)
    read_tagged(path)
    assert "has one sentence of 250 words: write blank lines between sentences" in caplog.text
    path.write_text("Ann PER\nsings O\n\n" * 9)
    with pytest.raises(UserError, match="too few different sentences to hold out 10% for"):
        read_tagged(path).split(0.1)
