"""Reading documents: a text file, a folder of text files, or texts in memory."""

import dataclasses
import itertools
import os
import pathlib
from collections.abc import Sequence

from zoo.data.readers.tables import IN_MEMORY, read_rows
from zoo.data_statistics import Statistics, with_statistics
from zoo.errors import DataError, UserError

DocumentData = str | os.PathLike | Sequence[str]


@dataclasses.dataclass(frozen=True)
class Documents:
    """Documents of plain text.

    Args:
        path: Path of the data, for messages.
        texts: The documents.
        empty: Number of empty documents that were skipped.
    """

    path: str
    texts: list[str]
    empty: int

    @property
    def statistics(self) -> Statistics:
        """Number of skipped documents."""
        return Statistics({"empty documents skipped": self.empty})

    def half_lines(self, count: int) -> list[str]:
        """The first halves of the first lines with text, as prompts.

        Example:
            >>> read_documents(["to be", "or not"]).half_lines(2)
            ['to ', 'or n']
        """
        lines = (line for text in self.texts for line in text.splitlines() if line.strip())
        return [line[: len(line) // 2 + 1] for line in itertools.islice(lines, count)]

    def __str__(self) -> str:
        characters = sum(map(len, self.texts))
        facts = f"{self.path}: {len(self.texts)} documents of {characters} characters"
        return with_statistics(facts, self.statistics)


def read_documents(data: DocumentData) -> Documents:
    """Reads documents of plain text in UTF-8.

    Args:
        data: A text file, which is one document; a folder, each `.txt` file of which is a document,
            in the order of their paths; a `.jsonl` file, whose lines have a document as "text"; or
            a list of documents.

    Returns:
        The `Documents`.

    Raises:
        DataError: If a line is not valid UTF-8 or not valid JSON.
        UserError: If the file is missing, or all documents are empty.

    Example:
        >>> read_documents(["to be", " ", "or not"]).texts
        ['to be', 'or not']
    """
    if not isinstance(data, str | os.PathLike):
        return _kept(IN_MEMORY, [str(text) for text in data])
    path = pathlib.Path(data)
    if path.is_dir():
        files = sorted(path.rglob("*.txt"))
        if not files:
            raise UserError(f"{path} contains no .txt files")
        return _kept(str(path), [_read(file) for file in files])
    if path.suffix.lower() == ".jsonl":
        rows = read_rows(path, [("text",)], "documents")
        return _kept(str(path), [cells[0] if cells else "" for _, cells in rows])
    return _kept(str(path), [_read(path)])


def _kept(path: str, texts: list[str]) -> Documents:
    kept = [text for text in texts if text.strip()]
    if not kept:
        raise UserError(f"{path} contains no text" if texts else "there are no texts")
    return Documents(path, kept, len(texts) - len(kept))


def _read(path: pathlib.Path) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise UserError(f"{path} does not exist") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        reason = f"byte 0x{content[error.start]:02x} is not UTF-8"
        raise DataError(path, line, reason) from None
