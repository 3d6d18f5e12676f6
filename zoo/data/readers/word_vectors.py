"""The reader of word vectors in text files, as GloVe and word2vec write them."""

import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from zoo.data.readers.files import read_lines
from zoo.errors import DataError, UserError


@dataclass(frozen=True)
class WordVectors:
    """The vectors of some words.

    Args:
        path: Path of the file.
        rows: Index of each word, (N,), ascending.
        vectors: Their vectors, float32 (N, D).
        of: Number of words that were looked for.
    """

    path: pathlib.Path
    rows: np.ndarray
    vectors: np.ndarray
    of: int

    @property
    def dim(self) -> int:
        """Width D of the vectors."""
        return self.vectors.shape[1]

    def __str__(self) -> str:
        count = len(self.rows)
        return f"{self.path}: {count} of {self.of} tokens found ({count / self.of:.0%})"


def read_word_vectors(path: pathlib.Path | str, words: Mapping[str, int]) -> WordVectors:
    """Reads the vectors of words from a text file: a word and its numbers in each line.

    A first line of two numbers, as word2vec writes it, is skipped. Of a word that occurs twice, the
    first line counts. Other words are not kept, so that files larger than memory can be read.

    Args:
        path: The file; it may be compressed with gzip.
        words: Index of each word.

    Raises:
        DataError: If a line has another number of values than the first, or one is not a finite
            number.
        UserError: If the file is missing, or has none of the words.

    Example:
        >>> import tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "vectors.txt"
        >>> _ = path.write_text("the 0.5 1\\na 2 3\\n")
        >>> vectors = read_word_vectors(path, {"a": 7, "an": 8})
        >>> vectors.rows.tolist(), vectors.vectors.tolist(), str(vectors).split(": ")[1]
        ([7], [[2.0, 3.0]], '1 of 2 tokens found (50%)')
    """
    path, dim = pathlib.Path(path), 0
    vectors: dict[int, np.ndarray] = {}
    for number, line in enumerate(read_lines(path), 1):
        cells = line.rstrip().split(" ")
        if number == 1 and len(cells) == 2:  # word2vec's numbers of words and of values
            continue
        dim = dim or len(cells) - 1
        word, values = " ".join(cells[:-dim]), cells[-dim:]
        if dim < 1 or len(cells) <= dim or not word:
            raise DataError(path, number, f"expected a word and {max(dim, 1)} numbers")
        row = words.get(word)
        if row is not None and row not in vectors:
            vectors[row] = _vector(path, number, values)
    if not vectors:
        raise UserError(f"{path} has vectors of none of the {len(words)} tokens of the vocabulary")
    rows = np.array(sorted(vectors))
    return WordVectors(path, rows, np.stack([vectors[row] for row in rows]), len(words))


def vectors_of_words(path: pathlib.Path | str, words: Sequence[str]) -> WordVectors:
    """Reads the vectors of a list of words, in which one may be several times.

    Args:
        path: See `read_word_vectors`.
        words: The words; their indices are the rows.
    """
    last = {word: i for i, word in enumerate(words)}
    known = read_word_vectors(path, last)
    index = {row: i for i, row in enumerate(known.rows.tolist())}
    rows = [i for i, word in enumerate(words) if last[word] in index]
    of_rows = known.vectors[[index[last[words[i]]] for i in rows]]
    return WordVectors(known.path, np.array(rows), of_rows, len(words))


def _vector(path: pathlib.Path, number: int, values: list[str]) -> np.ndarray:
    try:
        vector = np.array(values, np.float32)
    except ValueError as error:
        raise DataError(path, number, f"expected numbers: {error}") from None
    if not np.isfinite(vector).all():
        raise DataError(path, number, "expected finite numbers")
    return vector
