"""Tables with a word and its tag in each row, and maybe the number of its sentence."""

import pathlib
import re
from collections.abc import Sequence
from itertools import groupby

from zoo.data.readers.column_finder import ColumnFinder
from zoo.data.readers.files import format_of
from zoo.data.readers.table import as_texts
from zoo.data.readers.tables import TABLE_FORMATS, open_table
from zoo.data.readers.word_numbers import refuse_word_numbers
from zoo.errors import DataError, UserError

# Usual names of columns, in lower case, the most usual first; those of sentences by their letters.
WORDS = ("word", "words", "token", "tokens", "form", "tok")
TAGS = ("tag", "tags", "label", "labels", "ner", "ner_tag", "ner_tags", "pos", "upos", "pos_tag")
SENTENCES = (
    *("sentence", "sentenceid", "sentenceno", "sentencenumber", "sentenceindex", "sentid"),
    *("sentno", "sent", "sid", "sentenceidx", "sentidx", "sentencenum", "sentnum", "docid"),
)
LETTERS = re.compile(r"[\W\d_]+")


def has_tag_table(path: pathlib.Path, encoding: str | None = None) -> bool:
    """Whether a file is a table with words, tags, and sentences or blank lines.

    Example:
        >>> file = getfixture("tmp_path") / "a.csv"
        >>> _ = file.write_text("Sentence #,Word,Tag\\n1,Ann,B-PER\\n,sings,O\\n2,rain,O\\n")
        >>> has_tag_table(file)
        True
    """
    if format_of(path) not in TABLE_FORMATS or not path.is_file():
        return False
    try:
        table = open_table(path, "tagged words", WORDS, encoding).sample
    except UserError:
        return False
    columns = ColumnFinder(table, "words")
    if not (table.header and columns.usual(WORDS) and columns.usual(TAGS)):
        return False
    gaps = any(b - a > 1 for a, b in zip(table.lines, table.lines[1:], strict=False))
    return bool(_sentence_column(columns) or (gaps and format_of(path) == ".csv"))


def _sentence_column(columns: ColumnFinder) -> str | None:
    letters = {name: LETTERS.sub("", name.lower()) for name in columns.left}
    return next((name for known in SENTENCES for name in letters if letters[name] == known), None)


def read_tag_table(
    path: pathlib.Path,
    word_column: str | None = None,
    tag_column: str | None = None,
    encoding: str | None = None,
) -> tuple[list[tuple[list[str], list[str]]], str]:
    """Reads the sentences of a table.

    A sentence ends where the number of the next one is, which may be in its first row only or in
    all of its rows; without a column of such numbers, at blank lines.

    Args:
        path: The file.
        word_column: Name of the column of words; default a usual name, such as `Word`.
        tag_column: Name of the column of tags; default a usual name, such as `Tag`.
        encoding: The encoding of a file without a byte order mark, by default UTF-8.

    Returns:
        The words and the tags of each sentence, and which columns were read.

    Raises:
        DataError: If a word or a tag is empty, or a row is not valid.
        UserError: If the file cannot be read, or has no such columns.
    """
    named = [*filter(None, (word_column, tag_column)), *WORDS]
    table, _ = open_table(path, "tagged words", named, encoding).read().without_bad(False)
    columns = ColumnFinder(table, "tagged words")
    numbers = _sentence_column(columns)
    starts = [cell.strip() for cell in as_texts(columns.left.pop(numbers))] if numbers else []
    chosen = []
    for role, given, usual in (("word", word_column, WORDS), ("tag", tag_column, TAGS)):
        name = columns.find(given, usual)
        cells = columns.take_texts(given, usual, role, required=True) or []
        chosen.append((role, name, cells))
    lines: list[int] = table.lines.tolist()
    for role, _, cells in chosen:
        if "" in cells:
            raise DataError(path, lines[cells.index("")], f"the {role} is empty")
    sentence = _of_numbers(starts) if numbers else _of_gaps(lines)
    (_, word, words), (_, tag, tags) = chosen
    rows = groupby(zip(sentence, words, tags, strict=True), key=lambda row: row[0])
    sentences = [[(x, y) for _, x, y in own] for _, own in rows]
    for option, given, column in (
        ("--word-column", word_column, 0),
        ("--tag-column", tag_column, 1),
    ):
        if given is not None:
            read = ([pair[column] for pair in own] for own in sentences)
            refuse_word_numbers(f"{path}: column {given}", option, read)
    note = f"word = {word}, tag = {tag}, sentence = {numbers or 'up to a blank line'}"
    if len(sentences) < 2 < len(lines):
        raise UserError(
            f"{path} has one sentence of {len(lines)} words: it needs a column of the numbers of "
            "sentences, named sentence_id, or blank lines between them"
        )
    return [([x for x, _ in own], [y for _, y in own]) for own in sentences], note


def _of_numbers(cells: Sequence[str]) -> list[int]:
    """The sentence of each row, from cells that are empty where it goes on."""
    numbers, number, before = [], 0, ""
    for cell in cells:
        if cell and cell != before:
            number, before = number + 1, cell
        numbers.append(number)
    return numbers


def _of_gaps(lines: Sequence[int]) -> list[int]:
    """The sentence of each row, from its line."""
    return [line - row for row, line in enumerate(lines)]
