"""Tagged sentences as records: a list of words and of tags for each, or a text and its spans."""

import itertools
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from zoo.data.readers.arrow_tables import UNREADABLE
from zoo.data.readers.files import format_of, opened
from zoo.data.readers.span_records import tagged_of
from zoo.data_statistics import counted, warn_once
from zoo.errors import DataError, UserError
from zoo.json_file import parse_json

WORDS = ("tokens", "words", "token", "word", "text", "sentence")
TAGS = ("tags", "ner_tags", "labels", "ner", "pos_tags", "tag", "label", "upos", "pos")
LOOKED_AT = 100  # first records, of which one has spans if they are texts with spans
Record = tuple[int, list[str], list[str]]


def has_records(path: pathlib.Path) -> bool:
    """Whether the first row of a file has a list of words and one of as many tags, or spans.

    Example:
        >>> file = getfixture("tmp_path") / "a.jsonl"
        >>> _ = file.write_text('{"tokens": ["Ann", "sings"], "tags": ["B-PER", "O"]}')
        >>> has_records(file)
        True
    """
    if format_of(path) not in RECORDS or not path.is_file():
        return False
    try:
        _, first = next(_rows(path), (0, {}))
        lists = _lists(first)
        words = next((lists[name] for name in WORDS if name in lists), None)
        return words is not None and len(lists) > 1 and not _are_texts(words)
    except UserError:
        return False


def _are_texts(cells: Sequence[Any]) -> bool:
    """Whether most cells have spaces, which words seldom have: a column of a table of texts."""
    return 2 * sum(" " in str(cell).strip() for cell in cells) > len(cells)


def read_records(
    path: pathlib.Path, word_column: str | None = None, tag_column: str | None = None
) -> Iterator[Record]:
    """Reads the records of a JSON or Parquet file.

    Args:
        path: The file.
        word_column: Name of the lists of words; default a usual name, such as `tokens`.
        tag_column: Name of the lists of tags; default the only other lists of this length.

    Yields:
        The line, or the number of the row, the words and the tags. Tags that are integers, the
        numbers of classes, become strings.

    Raises:
        DataError: If a row is not valid.
        UserError: If the file cannot be read, or the lists cannot be told apart.
    """
    names: tuple[str, str] | None = None
    for number, row in _rows(path):
        if names is None:
            names = _names(path, row, word_column, tag_column)
        lists = _lists(row)
        for name in names:
            if name not in lists:
                raise DataError(path, number, f'"{name}" is not a list of strings')
        yield number, *(list(map(str, lists[name])) for name in names)  # type: ignore[misc]


def _names(
    path: pathlib.Path, row: Mapping[str, Any], word: str | None, tag: str | None
) -> tuple[str, str]:
    lists = _lists(row)
    listed = ", ".join(lists) or "none"
    for option, given in (("--word-column", word), ("--tag-column", tag)):
        if given is not None and given not in lists:
            raise UserError(f"{path} has no lists {given}, which {option} names; it has {listed}")
    word = word or next((name for name in WORDS if name in lists and name != tag), None)
    if word is None:
        raise UserError(f"{path} has no lists of words: name them with --word-column ({listed})")
    others = [x for x in lists if x != word and len(lists[x]) == len(lists[word])]
    usual = [name for name in others if name.lower() in TAGS]
    fitting = [tag] if tag else usual or others
    if len(fitting) != 1:
        reason = f"several lists of tags ({', '.join(fitting)})" if fitting else "no lists of tags"
        raise UserError(f"{path} has {reason}: name one with --tag-column")
    return word, fitting[0]


def _lists(row: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The lists of strings or integers of a row."""
    return {
        name: cells
        for name, cells in row.items()
        if isinstance(cells, list) and all(type(cell) in (str, int) for cell in cells)
    }


def _rows(path: pathlib.Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a file; texts with spans become words and tags."""
    first, rows = _peeked(RECORDS[format_of(path)](path))
    tagged, left_out = tagged_of(first), 0
    for number, row in rows:
        if not isinstance(row, dict):
            raise DataError(path, number, "expected an object with a list of words and of tags")
        if tagged is None:
            yield number, row
            continue
        try:
            words = tagged(row)
        except ValueError as error:
            raise DataError(path, number, str(error)) from None
        left_out += words is None
        if words is not None:
            yield number, words
    if tagged is not None:
        note = f"{path}: words are what is between spaces, with the tags of their spans"
        records = f"; {counted(left_out, 'records')} nobody labeled or accepted, and not read"
        warn_once(note + (records if left_out else ""))


def _peeked(rows: Iterator[tuple[int, Any]]) -> tuple[list[Any], Iterator[tuple[int, Any]]]:
    """The first rows, and all rows; an error in the first is raised where it is reached."""
    first: list[tuple[int, Any]] = []
    failed: list[DataError] = []
    try:
        first += itertools.islice(rows, LOOKED_AT)
    except DataError as error:
        failed.append(error)

    def every() -> Iterator[tuple[int, Any]]:
        yield from first
        for error in failed:
            raise error
        yield from rows

    return [row for _, row in first], every()


def _jsonl(path: pathlib.Path) -> Iterator[tuple[int, Any]]:
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, _parsed(path, number, line)


def _json(path: pathlib.Path) -> Iterator[tuple[int, Any]]:
    with opened(path) as file:
        document = _parsed(path, 1, file.read())
    yield from enumerate(document if isinstance(document, list) else [document], 1)


def _parsed(path: pathlib.Path, number: int, text: bytes) -> Any:
    try:
        return parse_json(text.decode("utf-8-sig"))
    except ValueError as error:
        raise DataError(path, number, f"not JSON: {error}") from None


def _parquet(path: pathlib.Path) -> Iterator[tuple[int, Any]]:
    with opened(path):  # for the same error messages about missing files
        pass
    try:
        batches = pa.parquet.ParquetFile(path).iter_batches()
        yield from enumerate((row for batch in batches for row in batch.to_pylist()), 1)
    except UNREADABLE as error:
        raise UserError(f"{path} is not a Parquet file: {error}") from None


RECORDS = {".jsonl": _jsonl, ".json": _json, ".parquet": _parquet}
