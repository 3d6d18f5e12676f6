"""Columns of files in CoNLL format: which has the words, and which their tags."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from zoo.data.readers.spans import has_spans
from zoo.data.readers.tag_lines import Line, Lines, check_widths
from zoo.data.readers.word_numbers import are_word_numbers, refuse_word_numbers
from zoo.errors import DataError, UserError

CONLLU = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
COLUMN_NAMES = re.compile(r"# *global\.columns *= *(.+)")  # in CoNLL-U Plus
CONLL2012 = "#begin document"
WORDS = ("word", "words", "token", "tokens", "form", "text")
TAGS = ("tag", "tags", "label", "labels", "ner", "ner_tag", "ner_tags", "pos", "upos", "pos_tags")
NUMBER = re.compile("[0-9]+")
NO_WORD = re.compile(r"[0-9]+-[0-9]+|[0-9]+\.[0-9]+")  # in CoNLL-U, a range or an empty node
ENOUGH = 20  # minimum number of words to judge a column by its contents


@dataclass(frozen=True)
class TagColumns:
    """The columns of a file, counted from 0; those below 0 from the last.

    Args:
        word: The words.
        tag: Their tags.
        names: The names of all columns, if the file has some.
        index: The numbers of the words, if the file has them.
    """

    word: int
    tag: int
    names: tuple[str, ...] = ()
    index: int | None = None

    def __str__(self) -> str:
        return f"word = {self._name(self.word)}, tag = {self._name(self.tag)}"

    def _name(self, index: int) -> str:
        named = f" ({self.names[index]})" if self.names else ""
        return f"column {index + 1}{named}" if index >= 0 else f"last column{named}"


def choose_columns(
    lines: Lines, word_column: str | None = None, tag_column: str | None = None
) -> tuple[Lines, TagColumns]:
    """The columns to read, and the lines that have words: no header, no empty nodes.

    The first column has the words and the last the tags, except in CoNLL-U (FORM, UPOS), in
    CoNLL-2012 (the 4th and the 11th), and after a column of indices (the next column).

    Args:
        lines: The lines of a file.
        word_column: Name or number of the column of words; default see above.
        tag_column: Name or number of the column of tags.

    Raises:
        DataError: If lines differ in their number of columns.
        UserError: If there is no such column, or the words are numbers.
    """
    lines, names = _header(lines, (word_column, tag_column))
    both = word_column is not None and tag_column is not None
    if not both and not _is_conll2012(lines):
        check_widths(lines)
    usual = _usual(lines, names)
    if usual.index is not None:
        kept = [[x for x in rows if not _is_no_word(x, usual.index)] for rows in lines.sentences]
        lines = replace(lines, sentences=[rows for rows in kept if rows])
    if word_column is not None:
        word = _named_index(lines, usual.names, word_column, "--word-column")
        usual = replace(usual, word=word)
    if tag_column is not None:
        usual = replace(usual, tag=_named_index(lines, usual.names, tag_column, "--tag-column"))
    _check_indices(lines, usual)
    for option, given, column in (
        ("--word-column", word_column, usual.word),
        ("--tag-column", tag_column, usual.tag),
    ):
        if given is not None:
            own = ([line.cells[column] for line in rows] for rows in lines.sentences)
            refuse_word_numbers(f"{lines.path}: column {given}", option, own)
    if word_column is None:
        _check_words(lines, usual)
    return lines, usual


def _header(lines: Lines, given: Sequence[str | None]) -> tuple[Lines, tuple[str, ...]]:
    """Takes names of columns from a comment or from the first line, if it has some."""
    for comment in lines.comments:
        if match := COLUMN_NAMES.match(comment):
            return lines, tuple(match[1].split())
    if not lines.sentences:
        return lines, ()
    first, *others = lines
    cells = [cell.lower() for cell in first.cells]
    names = [name.lower() for name in given if name and not re.fullmatch("-?[0-9]+", name)]
    named = any(name in cells for name in names)
    usual = cells[-1] in TAGS and any(cell in WORDS for cell in cells[:-1])
    usual = usual and all(line.cells[-1] != first.cells[-1] for line in others)
    if not (named or usual):
        return lines, ()
    sentences = [lines.sentences[0][1:], *lines.sentences[1:]]
    return replace(lines, sentences=[rows for rows in sentences if rows]), tuple(first.cells)


def _usual(lines: Lines, names: tuple[str, ...]) -> TagColumns:
    if _is_conll2012(lines):
        return TagColumns(3, 10, names, 2)
    if not _has_indices(lines):
        return TagColumns(0, -1, names)
    width = min(len(line.cells) for line in lines)
    if width == len(CONLLU) or set(names) & set(CONLLU):
        names = names or CONLLU
        word, tag = (names.index(x) if x in names else x0 for x, x0 in (("FORM", 1), ("UPOS", -1)))
        return TagColumns(word, tag, names, 0)
    # GermEval 2014 has two columns of tags: those of names, and those of names within names.
    nested = width == 4 and all(has_spans({x.cells[i] for x in lines}) for i in (2, 3))
    return TagColumns(1, 2 if nested else -1, names, 0)


def _is_conll2012(lines: Lines) -> bool:
    """Whether these are files of the CoNLL-2012 task, whose lines have 12 columns or more."""
    begins = any(comment.startswith(CONLL2012) for comment in lines.comments)
    return begins and all(len(line.cells) >= 12 for line in lines)


def _has_indices(lines: Lines) -> bool:
    """Whether the first column numbers the words."""
    first = ([row.cells[0] for row in rows] for rows in lines.sentences)
    return are_word_numbers([x for x in cells if not NO_WORD.fullmatch(x)] for cells in first)


def _is_no_word(line: Line, index: int) -> bool:
    """Whether this is a token of several words, or an empty node, in CoNLL-U.

    Source: universaldependencies.org/format.html: words have integers as ids, tokens of several
        words ranges such as 1-2, and empty nodes decimals such as 8.1.
    """
    return bool(NO_WORD.fullmatch(line.cells[index]))


def _named_index(lines: Lines, names: tuple[str, ...], given: str, option: str) -> int:
    """The column that an option names."""
    known = {name.lower(): index for index, name in enumerate(names)}
    if given.lower() in known:
        return known[given.lower()]
    width = min((len(line.cells) for line in lines), default=0)
    number = int(given) if re.fullmatch("-?[0-9]{1,9}", given) else 0
    if not 1 <= abs(number) <= width:
        listed = f": {', '.join(names)}" if names else f", {width} in the shortest line"
        raise UserError(
            f"{lines.path} has no column {given}, which {option} names: expected "
            f"{'a name or ' * bool(names)}the number of a column{listed}"
        )
    return number - 1 if number > 0 else number


def _check_indices(lines: Lines, columns: TagColumns) -> None:
    """Refuses lines without the chosen columns, such as one with another separator."""
    for line in lines:
        width, indices = len(line.cells), (columns.word, columns.tag)
        if width < 2 or any(not -width <= index < width for index in indices):
            raise DataError(lines.path, line.number, "expected a word and its tag")


def _check_words(lines: Lines, columns: TagColumns) -> None:
    """Refuses columns that have something else than words."""
    words = [line.cells[columns.word] for line in lines]
    width = min((len(line.cells) for line in lines), default=0)
    reason = None
    if columns.index is not None and columns.word == columns.tag % max(width, 1):
        reason = "numbers in column 1, and only one other column"
    elif len(words) >= ENOUGH and all(NUMBER.fullmatch(word) for word in words):
        reason = f"numbers in column {columns.word + 1} instead of words"
    elif len(words) >= ENOUGH and len(set(words)) == 1:
        reason = f"the same cell in all lines of column {columns.word + 1}"
    if reason is not None:
        raise UserError(
            f"{lines.path} has {reason}: name the columns of words and tags with --word-column "
            "and --tag-column"
        )
