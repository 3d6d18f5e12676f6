"""Files of words with a tag each."""

import dataclasses
import os
import pathlib
from collections.abc import Iterator, Sequence

from zoo.data.readers.tables import name_of, read_lines
from zoo.data_statistics import Statistics, with_statistics
from zoo.errors import DataError, UserError

Sentence = tuple[Sequence[str], Sequence[str]]
TaggedData = str | os.PathLike | Sequence[Sentence]
DOCUMENT = "-DOCSTART-"  # how CoNLL's files mark where a document begins


@dataclasses.dataclass(frozen=True)
class TaggedTexts:
    """Sentences as words, and the tag of each word.

    Args:
        path: where they come from.
        words: the words of each sentence.
        tags: their tags.
        empty: how many sentences in memory without words were skipped; in a file, blank lines only
            end sentences.
    """

    path: str
    words: list[list[str]]
    tags: list[list[str]]
    empty: int = 0

    @property
    def inputs(self) -> dict[str, list[str]]:
        """The raw inputs of a model."""
        return {"text": [" ".join(words) for words in self.words]}

    @property
    def statistics(self) -> Statistics:
        """What was left out."""
        return Statistics({"sentences without words skipped": self.empty})

    def __str__(self) -> str:
        kinds = {tag for tags in self.tags for tag in tags}
        count = sum(len(words) for words in self.words)
        facts = f"{self.path}: {len(self.words)} sentences, {count} words with {len(kinds)} tags"
        return with_statistics(facts, self.statistics)


def read_tagged(data: TaggedData) -> TaggedTexts:
    """Reads a UTF-8 file in the form of CoNLL's shared tasks.

    Source: Tjong Kim Sang & De Meulder 2003, section 2.2.

    Each line has a word and, last, its tag; what stands between them is not read. Columns are
    separated by tabs, or without any by spaces. A blank line ends a sentence; lines that begin with
    "-DOCSTART-" or, where they have one column, with "#" are skipped.

    Args:
        data: the file, or a list of (words, tags).

    Raises:
        DataError: at the first line, or sentence in memory, that has a word without a tag.
        UserError: if the file is missing, or holds no word.

    Example:
        >>> read_tagged([(["Ann", "sings"], ["B-PER", "O"])]).words
        [['Ann', 'sings']]
    """
    path, empty = name_of(data), 0
    if isinstance(data, str | os.PathLike):
        sentences = [each for each in _sentences(pathlib.Path(data)) if each[0]]
    else:
        every = [_checked(path, number, each) for number, each in enumerate(data, 1)]
        sentences = [each for each in every if each[0]]
        empty = len(every) - len(sentences)
    if not sentences:
        raise UserError(f"{path} holds no words with tags")
    words, tags = (list(column) for column in zip(*sentences, strict=True))
    return TaggedTexts(path, words, tags, empty)


def _checked(path: str, number: int, sentence: Sentence) -> tuple[list[str], list[str]]:
    """The words and the tags of a sentence in memory."""
    if len(sentence) != 2:
        raise DataError(path, number, f"expected words and tags, found {len(sentence)} lists")
    words, tags = map(list, sentence)
    if len(words) != len(tags):
        raise DataError(path, number, f"{len(words)} words have {len(tags)} tags")
    for what, each in (("word", words), ("tag", tags)):
        if not all(isinstance(text, str) and text.strip() for text in each):
            raise DataError(path, number, f"a {what} is empty or no text")
    return words, tags


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
