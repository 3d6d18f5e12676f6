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
    found = read_tagged(path)
    assert found.words == [["Ann", "sings"], ["New York", "#"]]
    assert found.tags == [["B-PER", "O"], ["B-LOC", "O"]]
    assert found.inputs == {"text": ["Ann sings", "New York #"]}
    assert str(found) == f"{path}: 2 sentences, 4 words with 3 tags"


def test_sentences_in_memory():
    found = read_tagged([(["Ann"], ("B-PER",)), ([], []), (["sings"], ["O"])])
    assert (found.words, found.tags) == ([["Ann"], ["sings"]], [["B-PER"], ["O"]])
    assert str(found).endswith(
        "data in memory: 2 sentences, 2 words with 2 tags; 1 sentences without words skipped"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"Ann B-PER\nsings\n", "a.conll:2: expected a word and its tag"),
        (b"Ann\t\n", "a.conll:1: expected a word and its tag"),
        (b"Ann O\n\xff O\n", "a.conll:2: byte 0xff at column 1 is not UTF-8"),
        (b"\n#nothing\n-DOCSTART-\n", "a.conll contains no tagged words"),
    ],
)
def test_a_bad_line_is_named(content, message, tmp_path):
    (tmp_path / "a.conll").write_bytes(content)
    with pytest.raises(UserError, match=message):
        read_tagged(tmp_path / "a.conll")


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ((["a", "b"], ["O"]), "found 2 words, but 1 tags"),
        ((["a"], ["O"], ["X"]), "expected words and tags, found 3 lists"),
        ((["a", " "], ["O", "O"]), "a word is empty or not a string"),
        ((["a"], [None]), "a tag is empty or not a string"),
    ],
)
def test_a_bad_sentence_in_memory_names_its_number(sentence, message):
    with pytest.raises(DataError, match=f"^data in memory:2: {message}$"):
        read_tagged([(["a"], ["O"]), sentence])
