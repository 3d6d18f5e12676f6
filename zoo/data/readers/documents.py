"""The reader of documents: a text file, a folder of text files, a table, or texts in memory."""

import dataclasses
import itertools
import pathlib
import re
from collections.abc import Iterable, Iterator
from typing import Self

from zoo.data.examples import ExampleRow
from zoo.data.held_out import Part, part_of
from zoo.data.in_memory import TextsInMemory
from zoo.data.readers.column_names import DEFAULT, ReadOptions
from zoo.data.readers.files import (
    IN_MEMORY,
    Paths,
    format_of,
    is_path,
    name_of,
    opened_text,
    paths_of,
)
from zoo.data.readers.read_columns import (
    PIECE_CHARACTERS,
    read_columns,
    read_columns_in_pieces,
)
from zoo.data.readers.roles import DOCUMENT
from zoo.data.readers.tables import TABLE_FORMATS
from zoo.data_statistics import Statistics, counted, with_statistics
from zoo.errors import UserError
from zoo.lines import from_lines
from zoo.text.sentences import split_sentences

DocumentData = Paths | Iterable[str]


@dataclasses.dataclass(frozen=True)
class Documents(TextsInMemory):
    """Documents of plain text.

    Args:
        texts: The documents.
        empty: Number of empty documents that were skipped.
        goes_on: Whether the last text is a part of a document that goes on in the next piece.
        continues: Whether the first text is a part of a document that began in a piece before.
    """

    texts: list[str]
    empty: int
    goes_on: bool = False
    continues: bool = False

    @property
    def statistics(self) -> Statistics:
        """Number of skipped documents."""
        return Statistics({"empty documents skipped": self.empty})

    def split(self, part: Part | float, seed: int = 0) -> tuple[Self, Self]:
        """Splits off validation data: a part of the documents, or of the lines of a single one.

        A fraction of a single document is its end; folds are in its order.
        """
        if len(self.texts) > 1:
            return super().split(part, seed)
        part = part_of(part)
        (text,) = self.texts
        start, end = (
            len(text) if at >= 1 else text.rfind("\n", 0, round(at * len(text))) + 1
            for at in part.bounds
        )
        kept = [each for each in (text[:start], text[end:]) if each.strip()]
        if not (kept and text[start:end].strip()):
            raise UserError(f"{self.path} is too short to hold out {part} for validation")
        name = f"{part.in_order} of {self.path}"
        return (
            dataclasses.replace(self, texts=kept, empty=0),
            dataclasses.replace(self, texts=[text[start:end]], empty=0, path=name),
        )

    @property
    def columns(self) -> dict[str, list[str]]:
        return {"texts": self.texts}

    @property
    def scored_bytes(self) -> int:
        """Number of bytes of the texts that are scored, with one for the end of each."""
        return sum(len(text.encode()) + 1 for text in self.texts)

    @property
    def inputs(self) -> dict[str, list[str]]:
        return {"text": self.texts}

    def sentences(self) -> list[str]:
        """The sentences of the first document."""
        return split_sentences(self.texts[0])

    def first_rows(self, count: int) -> list[ExampleRow]:
        """The first documents, for a report."""
        return [ExampleRow(text, text, None) for text in self.texts[:count]]

    def half_lines(self, count: int) -> list[str]:
        """The first halves of the first lines that are not blank, as prompts.

        Lines are cut at the space nearest to their middle; those of one word are taken whole.

        Example:
            >>> read_documents(["to be or not", "Hamlet:"]).half_lines(2)
            ['to be', 'Hamlet:']
        """
        lines = (line for text in self.texts for line in from_lines(text) if line.strip())
        return [_half(line.rstrip()) for line in itertools.islice(lines, count)]

    def __str__(self) -> str:
        characters = counted(sum(map(len, self.texts)), "characters")
        facts = f"{self.path}: {counted(len(self.texts), 'documents')} of {characters}"
        return with_statistics(facts, self.statistics)


def _half(line: str) -> str:
    spaces = [match.start() for match in re.finditer(r"(?<=\S)\s", line)]
    return line[: min(spaces, key=lambda index: abs(index - len(line) / 2), default=None)]


def read_documents(data: DocumentData, options: ReadOptions = DEFAULT) -> Documents:
    """Reads documents of plain text.

    Args:
        data: A text file, which is one document; a folder, in which each `.txt` file is a document,
            in the order of their paths; a table with a document in each row (see `read_columns`);
            several of these; or a list of documents.
        options: The encoding, and how tables are read.

    Returns:
        The `Documents`.

    Raises:
        DataError: If a line is not valid.
        UserError: If a file is missing, or all documents are empty.

    Example:
        >>> read_documents(["to be", " ", "or not"]).texts
        ['to be', 'or not']
    """
    if not is_path(data):
        return _kept(IN_MEMORY, [str(text) for text in data])
    texts: list[str] = []
    for path in paths_of(data):
        if path.is_dir():
            texts += [_read(file, options.encoding) for file in _files_in(path)]
        elif format_of(path) in TABLE_FORMATS:
            columns = read_columns(path, DOCUMENT, "documents", options)
            texts += [*columns.cells.get("text", []), *[""] * columns.blank]
        else:
            texts.append(_read(path, options.encoding))
    return _kept(name_of(data), texts)


def read_documents_in_pieces(
    data: DocumentData, options: ReadOptions = DEFAULT
) -> Iterator[Documents]:
    """Reads documents a piece at a time. A text file that is larger than a piece is split at lines.

    Args:
        data: See `read_documents`; data in memory is one piece.
        options: The encoding, and how tables are read.
    """
    if not is_path(data):
        yield read_documents(data)
        return
    name, paths = name_of(data), paths_of(data)
    files = (_files_in(path) if path.is_dir() else [path] for path in paths)
    texts: list[str] = []
    empty = size = 0
    continues = False  # whether the first of the texts continues a document
    for path in itertools.chain.from_iterable(files):
        if format_of(path) in TABLE_FORMATS:
            if texts:
                yield Documents(name, texts, empty, continues=continues)
                texts, empty, size, continues = [], 0, 0, False
            for columns in read_columns_in_pieces(path, DOCUMENT, "documents", options):
                yield Documents(name, columns.cells.get("text", []), columns.blank)
            continue
        parts = _parts(path, options.encoding)
        for number, (text, goes_on) in enumerate(parts):
            if not (number or goes_on or text.strip()):
                empty += 1
                continue
            continues = number > 0 if not texts else continues
            texts.append(text)
            size += len(text)
            if goes_on or size >= PIECE_CHARACTERS:
                yield Documents(name, texts, empty, goes_on, continues)
                texts, empty, size, continues = [], 0, 0, False
    if texts or empty:
        yield Documents(name, texts, empty, continues=continues)


def _files_in(folder: pathlib.Path) -> list[pathlib.Path]:
    files = sorted(path for end in ("", ".gz", ".zst") for path in folder.rglob(f"*.txt{end}"))
    if not files:
        raise UserError(f"{folder} contains no .txt files")
    return files


def _kept(path: str, texts: list[str]) -> Documents:
    kept = [text for text in texts if text.strip()]
    if not kept:
        raise UserError(f"{path} contains no text" if texts else "there are no texts")
    return Documents(path, kept, len(texts) - len(kept))


def _read(path: pathlib.Path, encoding: str | None) -> str:
    return "".join(text for text, _ in _parts(path, encoding))


def _parts(path: pathlib.Path, encoding: str | None) -> Iterator[tuple[str, bool]]:
    """The text of a file in parts, and whether another part follows.

    A part ends at a line break between two words or, without one, at a space. So its tokens do not
    depend on the next part.
    """
    kept, line = "", 1
    with opened_text(path, encoding, newline="") as file:
        while text := file.stream.read(PIECE_CHARACTERS):
            file.check(text, line)
            line += text.count("\n")
            kept += text
            if len(kept) >= PIECE_CHARACTERS:
                *_, line_end = itertools.chain([None], re.finditer(r"(?<=\S)\n(?=\S)", kept))
                index = line_end.end() if line_end else kept.rfind(" ") + 1 or len(kept)
                yield kept[:index], True
                kept = kept[index:]
    yield kept, False
