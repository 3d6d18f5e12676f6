"""Word vectors from text files."""

import gzip

import numpy as np
import pytest

from zoo.data.readers.word_vectors import read_word_vectors
from zoo.errors import DataError, UserError

WORDS = {"the": 3, "New York": 5, "a": 1, "missing": 7}
GLOVE = "the 0.5 -1 2\nother 9 9 9\nNew York 1e-2 0 7\na 1 2 3\na 4 5 6\n"


def write(folder, text, name="vectors.txt"):
    path = folder / name
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


@pytest.mark.parametrize("name", ["vectors.txt", "vectors.txt.gz"])
@pytest.mark.parametrize("header", ["", "5 3\n"])
def test_the_vectors_of_known_words(tmp_path, header, name):
    path = write(tmp_path, header + GLOVE, name)
    actual = read_word_vectors(path, WORDS)
    assert actual.rows.tolist() == [1, 3, 5] and actual.vectors.dtype == np.float32
    expected = [[1, 2, 3], [0.5, -1, 2], [0.01, 0, 7]]
    np.testing.assert_allclose(actual.vectors, expected, rtol=1e-6)
    assert str(actual) == f"{path}: 3 of 4 tokens found (75%)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("the 1 2 3\na 1 2\n", "vectors.txt:2: expected a word and 3 numbers"),
        ("the 1 2 3\na 1\n", "vectors.txt:2: expected a word and 3 numbers"),
        ("the 1 2 x\n", "vectors.txt:1: expected numbers"),
        ("the 1 nan 3\n", "vectors.txt:1: expected finite numbers"),
        ("the\n", "vectors.txt:1: expected a word and 1 numbers"),
        (b"the 1 2 3\n\xff 1 2 3\n", "vectors.txt:2: byte 0xff"),
    ],
)
def test_a_bad_line_is_named(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_word_vectors(write(tmp_path, text), WORDS)


@pytest.mark.parametrize("text", ["", "other 1 2\n", "5 3\n"])
def test_a_file_of_other_words(tmp_path, text):
    with pytest.raises(UserError, match="has vectors of none of the 4 tokens of the vocabulary"):
        read_word_vectors(write(tmp_path, text), WORDS)


def test_a_missing_file(tmp_path):
    with pytest.raises(UserError, match="vectors.txt does not exist"):
        read_word_vectors(tmp_path / "vectors.txt", WORDS)
