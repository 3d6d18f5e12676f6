"""Reads tagged sentences."""

import dataclasses
import pathlib
from collections.abc import Iterator, Sequence
from typing import Any, Self

from zoo.data.held_out import split_rows
from zoo.data.readers.files import format_of, is_path, name_of, paths_of, read_lines
from zoo.data_statistics import Statistics, counted, with_statistics
from zoo.errors import DataError, UserError

Sentence = tuple[Sequence[str], Sequence[str]]
DOCUMENT = "-DOCSTART-"  # starts a document in CoNLL files
ENOUGH = 20  # minimum number of words to recognize a table by its contents
TABLES = (".csv", ".jsonl", ".json", ".parquet")  # CoNLL files may end in .tsv


@dataclasses.dataclass(frozen=True)
class TaggedTexts:
    """Sentences with a tag for each word.

    Args:
        path: Path of the data, for messages.
        words: The words of each sentence.
        tags: The tags of each sentence, one for each word.
        empty: Number of sentences in memory that were skipped because they have no words. In files,
            blank lines only separate sentences.
    """

    path: str
    words: list[list[str]]
    tags: list[list[str]]
    empty: int = 0

    @property
    def inputs(self) -> dict[str, list[str]]:
        """Inputs of the preprocessor, by name."""
        return {"text": [" ".join(words) for words in self.words]}

    @property
    def statistics(self) -> Statistics:
        """Number of skipped sentences."""
        return Statistics({"sentences without words skipped": self.empty})

    def split(self, share: float, seed: int = 0) -> tuple[Self, Self]:
        """Splits off validation data: a random fraction of the sentences."""
        return split_rows(self, ("words", "tags"), share, seed)

    def __str__(self) -> str:
        sentences = counted(len(self.words), "sentences")
        words = counted(sum(map(len, self.words)), "words")
        tags = counted(len({tag for tags in self.tags for tag in tags}), "tags")
        return with_statistics(f"{self.path}: {sentences}, {words} with {tags}", self.statistics)


def read_tagged(data: Any) -> TaggedTexts:
    """Reads tagged sentences from a UTF-8 file in CoNLL format, or from a list.

    Source: Tjong Kim Sang & De Meulder 2003, section 2.2.

    The first column of each line is a word, the last column is its tag, and columns in between are
    ignored. Columns are separated by tabs or, in lines without tabs, by spaces. Sentences are
    separated by blank lines. Lines that start with "-DOCSTART-" are skipped, and so are lines that
    start with "#" and have a single column.

    Args:
        data: One or several files, or a list of (words, tags).

    Returns:
        The `TaggedTexts`.

    Raises:
        DataError: If a word has no tag.
        UserError: If the file is missing, contains no words, or is a table of texts.

    Example:
        >>> read_tagged([(["Ann", "sings"], ["B-PER", "O"])]).words
        [['Ann', 'sings']]
    """
    path, empty = name_of(data), 0
    if is_path(data):
        sentences = [each for file in paths_of(data) for each in _read(file)]
    else:
        every = [_checked(path, number, each) for number, each in enumerate(data, 1)]
        sentences = [each for each in every if each[0]]
        empty = len(every) - len(sentences)
    if not sentences:
        raise UserError(f"{path} contains no tagged words")
    words, tags = (list(column) for column in zip(*sentences, strict=True))
    return TaggedTexts(path, words, tags, empty)


def _checked(path: str, number: int, sentence: Sentence) -> tuple[list[str], list[str]]:
    """Checks a sentence in memory. Returns its words and tags."""
    if len(sentence) != 2:
        raise DataError(
            path, number, f"expected words and tags, found {counted(len(sentence), 'lists')}"
        )
    words, tags = map(list, sentence)
    if len(words) != len(tags):
        raise DataError(
            path, number, f"found {counted(len(words), 'words')}, but {counted(len(tags), 'tags')}"
        )
    for what, each in (("word", words), ("tag", tags)):
        if not all(isinstance(text, str) and text.strip() for text in each):
            raise DataError(path, number, f"a {what} is empty or not a string")
    return words, tags


def _read(path: pathlib.Path) -> list[tuple[list[str], list[str]]]:
    """The sentences of a file; refuses a table of texts and their labels."""
    wanted = "a word and its tag on each line, and blank lines between sentences"
    if format_of(path) in TABLES:
        raise UserError(f"{path} is a table by its name: expected a .conll file with {wanted}")
    sentences = [each for each in _sentences(path) if each[0]]
    words = [word for each, _ in sentences for word in each]
    kinds = {tag for _, tags in sentences for tag in tags}
    phrases = sum(" " in word for word in words)
    if len(words) >= ENOUGH and (len(kinds) > 0.8 * len(words) or phrases > 0.5 * len(words)):
        raise UserError(f"{path} does not contain tagged words: expected {wanted}")
    return sentences


def _sentences(path: pathlib.Path) -> Iterator[tuple[list[str], list[str]]]:
    words: list[str] = []
    tags: list[str] = []
    for number, line in enumerate(read_lines(path), 1):
        line = line.strip()
        if line.startswith(DOCUMENT):
            continue
        if not line:
            yield words, tags
            words, tags = [], []
            continue
        cells = line.split("\t") if "\t" in line else line.split()
        if len(cells) == 1 and line.startswith("#"):
            continue
        if len(cells) < 2 or not (cells[0].strip() and cells[-1].strip()):
            raise DataError(path, number, "expected a word and its tag")
        words.append(cells[0].strip())
        tags.append(cells[-1].strip())
    yield words, tags
