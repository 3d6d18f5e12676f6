"""The reader of tagged sentences."""

import dataclasses
import itertools
import pathlib
from collections.abc import Iterable, Iterator, Sequence

from zoo.data.examples import ExampleRow
from zoo.data.in_memory import TextsInMemory
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.files import Paths, format_of, is_path, name_of, paths_of
from zoo.data.readers.spans import scheme_of, without_brackets
from zoo.data.readers.tag_columns import TagColumns, choose_columns
from zoo.data.readers.tag_lines import Lines, read_tagged_lines
from zoo.data.readers.tag_records import RECORDS, has_records, read_records
from zoo.data.readers.tag_tables import has_tag_table, read_tag_table
from zoo.data_statistics import LOGGER, Statistics, counted, with_statistics
from zoo.errors import DataError, UserError
from zoo.option_names import option_name

Sentence = tuple[Sequence[str], Sequence[str]]
TaggedTextData = Paths | Iterable[Sentence]
ENOUGH = 20  # minimum number of words to recognize a table by its contents
TABLES = (".csv", *RECORDS)  # CoNLL files may end in .tsv
NO_BLANK_LINES = "write blank lines between sentences"
LONG = 200  # words from which a single sentence is taken to be several
WANTED = "a word and its tag on each line, and blank lines between sentences"


@dataclasses.dataclass(frozen=True)
class TaggedTexts(TextsInMemory):
    """Sentences with a tag for each word.

    Args:
        words: The words of each sentence.
        tags: The tags of each sentence, one for each word.
        empty: Number of sentences in memory that were skipped because they have no words. In files,
            blank lines only separate sentences.
        comments: Number of lines in files that are comments.
        note: What was read from files, such as "word = column 1, tag = last column".
    """

    words: list[list[str]]
    tags: list[list[str]]
    empty: int = 0
    comments: int = 0
    note: str = ""

    @property
    def columns(self) -> dict[str, list[list[str]]]:
        return {"words": self.words, "tags": self.tags}

    @property
    def inputs(self) -> dict[str, list[str]]:
        return {"text": [" ".join(words) for words in self.words]}

    @property
    def statistics(self) -> Statistics:
        """Numbers of skipped sentences and lines."""
        return Statistics(
            {"sentences without words skipped": self.empty, "comment lines skipped": self.comments}
        )

    @property
    def rows_held_out(self) -> str:
        if len(self.words) == 1 and len(self.words[0]) >= ENOUGH:
            return f"sentences (1 of {len(self.words[0])} words: {NO_BLANK_LINES})"
        return "different sentences"

    def every_tag(self) -> Iterator[str]:
        """The tag of each word."""
        return itertools.chain.from_iterable(self.tags)

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first sentences, for a report."""
        rows = zip(self.words[:count], self.tags[:count], strict=True)
        return [
            ExampleRow(" ".join(words), words, tagged_text(zip(words, tags, strict=True)))
            for words, tags in rows
        ]

    def __str__(self) -> str:
        sentences = counted(len(self.words), "sentences")
        words = counted(sum(map(len, self.words)), "words")
        tags = counted(len(set(self.every_tag())), "tags")
        scheme = scheme_of(self.tags)
        facts = [f"{self.path}: {sentences}, {words} with {tags}{scheme and f' ({scheme})' or ''}"]
        facts += [self.note] if self.note else []
        return with_statistics("; ".join(facts), self.statistics)


def tagged_text(pairs: Iterable[tuple[str, str]]) -> str:
    """Words and their tags as text.

    Example:
        >>> tagged_text([("Ann", "B-PER"), ("sings", "O")])
        'Ann/B-PER sings/O'
    """
    return " ".join("/".join(pair) for pair in pairs)


def read_tagged(data: TaggedTextData, options: ReadOptions = DEFAULT) -> TaggedTexts:
    """Reads tagged sentences from files in CoNLL format, from records, or from a list.

    Source: Tjong Kim Sang & De Meulder 2003, section 2.2.

    In CoNLL format, each line has a word and its tag; blank lines and lines that start with
    "-DOCSTART-" separate sentences. `choose_columns` says which columns are read, and
    `read_tagged_lines` which lines are comments. In a JSON or Parquet file, each record has a list
    of words and a list of tags; a table may have a word and its tag in each row. Tags in
    brackets, such as `(PER*`, become IOB2 tags.

    Args:
        data: One or several files, or a list of (words, tags).
        options: The names or numbers of the columns of words and of tags, by default the first
            and the last, or those of the format; and the encoding of CoNLL files.

    Returns:
        The `TaggedTexts`.

    Raises:
        DataError: If a word has no tag.
        UserError: If the file is missing, contains no words, or is a table of texts.

    Example:
        >>> read_tagged([(["Ann", "sings"], ["B-PER", "O"])]).words
        [['Ann', 'sings']]
    """
    if is_path(data):
        parts = [_read(each, options) for each in paths_of(data)]
        parts = parts or [TaggedTexts("", [], [])]
        sentences = dataclasses.replace(
            parts[0],
            path=name_of(data),
            words=[words for part in parts for words in part.words],
            tags=[tags for part in parts for tags in part.tags],
            empty=sum(part.empty for part in parts),
            comments=sum(part.comments for part in parts),
        )
    else:
        sentences = _tagged(
            name_of(data), [_checked(name_of(data), *x) for x in enumerate(data, 1)]
        )
    if not sentences.words:
        raise UserError(f"{sentences.path} contains no tagged words")
    if len(sentences.words) == 1 and len(sentences.words[0]) >= LONG:
        count = len(sentences.words[0])
        LOGGER.warning("%s has one sentence of %d words: %s", sentences.path, count, NO_BLANK_LINES)
    return sentences


def _tagged(path: str, sentences: Sequence[tuple[list[str], list[str]]]) -> TaggedTexts:
    kept = [each for each in sentences if each[0]]
    words, tags = [words for words, _ in kept], [tags for _, tags in kept]
    return TaggedTexts(path, words, tags, empty=len(sentences) - len(kept))


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


def _read(path: pathlib.Path, options: ReadOptions) -> TaggedTexts:
    """The sentences of a file; refuses a table of texts and their labels."""
    word_column, tag_column = options.names.word, options.names.tag
    if has_records(path):
        records = read_records(path, word_column, tag_column)
        sentences = _tagged(str(path), [_checked(str(path), n, (x, y)) for n, x, y in records])
    elif has_tag_table(path, options.encoding):
        rows, note = read_tag_table(path, word_column, tag_column, options.encoding)
        sentences = dataclasses.replace(_tagged(str(path), rows), note=note)
    elif format_of(path) in TABLES:
        raise UserError(
            f"{path} is a table by its name: expected columns word, tag and sentence_id, the first "
            f"two of which {option_name('word_column')} and {option_name('tag_column')} may name, "
            f"or a .conll file with {WANTED}"
        )
    else:
        lines = read_tagged_lines(path, options.encoding)
        try:
            sentences = _of_lines(*choose_columns(lines, word_column, tag_column))
        except UserError:
            if word_column is None and tag_column is None:  # which says more about such a file
                _refuse_texts(path, [x.cells[0] for x in lines], [x.cells[-1] for x in lines])
            raise
        _refuse_texts(
            path, *([x for row in rows for x in row] for rows in (sentences.words, sentences.tags))
        )
    return dataclasses.replace(sentences, tags=without_brackets(sentences.tags) or sentences.tags)


def _of_lines(lines: Lines, columns: TagColumns) -> TaggedTexts:
    words: list[list[str]] = []
    tags: list[list[str]] = []
    for sentence in lines.sentences:
        for line in sentence:
            for what, index in (("word", columns.word), ("tag", columns.tag)):
                if not line.cells[index]:
                    number = index % len(line.cells) + 1
                    reason = f"column {number}, that of the {what}, is empty"
                    raise DataError(lines.path, line.number, reason)
        words.append([line.cells[columns.word] for line in sentence])
        tags.append([line.cells[columns.tag] for line in sentence])
    return TaggedTexts(
        str(lines.path), words, tags, comments=len(lines.comments), note=str(columns)
    )


def _refuse_texts(path: pathlib.Path, words: list[str], tags: list[str]) -> None:
    phrases, kinds = sum(" " in word for word in words), len(set(tags))
    if len(words) >= ENOUGH and (kinds > 0.8 * len(words) or phrases > 0.5 * len(words)):
        raise UserError(f"{path} does not contain tagged words: expected {WANTED}")
