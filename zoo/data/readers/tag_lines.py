"""Lines of files in CoNLL format: the sentences of a file, without its comments."""

import pathlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from zoo.data.readers.files import read_lines
from zoo.errors import DataError
from zoo.text.separators import words_of

DOCUMENT = "-DOCSTART-"  # starts a document in CoNLL files
COMMENT = "#"


@dataclass(frozen=True)
class Line:
    """A word with what is annotated.

    Args:
        number: Number of the line in its file, from 1.
        cells: The columns, without spaces around them.
        tabbed: Whether they are separated by tabs.
    """

    number: int
    cells: list[str]
    tabbed: bool

    @property
    def form(self) -> tuple[bool, int]:
        """The separator and the number of columns."""
        return self.tabbed, len(self.cells)


@dataclass(frozen=True)
class Lines:
    """The lines of a file that are no comments.

    Args:
        path: The file.
        sentences: The lines of each sentence.
        comments: The lines that are comments.
    """

    path: pathlib.Path
    sentences: list[list[Line]]
    comments: list[str]

    def __iter__(self) -> Iterator[Line]:
        return (line for sentence in self.sentences for line in sentence)


def read_tagged_lines(path: pathlib.Path, encoding: str | None = None) -> Lines:
    """Reads the lines of a file; blank lines and "-DOCSTART-" separate sentences.

    Columns are separated by tabs or, in lines without tabs, by spaces. An empty last column is
    left out if it is empty in all lines with tabs.

    A line that starts with "#" is a comment if no other line has its separator and its number of
    columns. If some have, it is still a comment if it precedes the words of a sentence and ends in
    no tag of the file, as long as no such line is between words.

    Args:
        path: The file.
        encoding: Its encoding; default UTF-8.

    Raises:
        DataError: If a line is not valid in the encoding.
        UserError: If the file is missing or cannot be read, or the encoding is unknown.

    Example:
        >>> file = getfixture("tmp_path") / "a.conll"
        >>> _ = file.write_text("# id 7\\tdomain=en\\nAnn _ B-PER\\n# _ O\\n")
        >>> [line.cells for line in read_tagged_lines(file)]
        [['Ann', '_', 'B-PER'], ['#', '_', 'O']]
    """
    blocks: list[list[tuple[Line, str]]] = [[]]
    for number, text in enumerate(read_lines(path, encoding), 1):
        if not text.strip() or text.startswith(DOCUMENT):
            blocks.append([])
            continue
        tabbed = "\t" in text
        cells = [cell.strip() for cell in text.split("\t")] if tabbed else words_of(text)
        blocks[-1].append((Line(number, cells, tabbed), text.strip()))
    return _without_comments(path, blocks)


def _without_comments(path: pathlib.Path, blocks: list[list[tuple[Line, str]]]) -> Lines:
    plain = [line for block in blocks for line, text in block if not text.startswith(COMMENT)]
    forms, tags = {line.form for line in plain}, {line.cells[-1] for line in plain}
    empty_last = tags and not any(line.cells[-1] for line in plain if line.tabbed)
    words = any(
        line.form in forms and text.startswith(COMMENT) and line.number > _first_word(block)
        for block in blocks
        for line, text in block
    )
    sentences, comments = [], []
    for block in blocks:
        sentence = []
        for line, text in block:
            if text.startswith(COMMENT) and not (
                line.form in forms and (words or line.cells[-1] in tags)
            ):
                comments.append(text)
            elif empty_last and line.tabbed:
                sentence.append(Line(line.number, line.cells[:-1], True))
            else:
                sentence.append(line)
        if sentence:
            sentences.append(sentence)
    return Lines(path, sentences, comments)


def _first_word(block: list[tuple[Line, str]]) -> float:
    numbers = (line.number for line, text in block if not text.startswith(COMMENT))
    return next(numbers, float("inf"))


def check_widths(lines: Lines) -> None:
    """Checks that all lines with the same separator have the same number of columns.

    Raises:
        DataError: For the first line with another number of columns than most.
    """
    usual: dict[bool, int] = {}
    for (tabbed, width), _ in Counter(line.form for line in lines).most_common():
        usual.setdefault(tabbed, width)
    for line in lines:
        wanted, cells = usual[line.tabbed], len(line.cells)
        if cells != wanted:
            reason = f"expected {wanted} columns as in most lines, found {cells}"
            reason += "; or name those to read with --word-column and --tag-column"
            reason = reason if cells > 1 else "expected a word and its tag"
            raise DataError(lines.path, line.number, reason)
