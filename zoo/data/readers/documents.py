"""Plain texts: a file, a folder of files, or texts in memory."""

import dataclasses
import os
import pathlib
from collections.abc import Sequence

from zoo.data.readers.tables import IN_MEMORY, read_rows
from zoo.data_statistics import Statistics, with_statistics
from zoo.errors import DataError, UserError

DocumentData = str | os.PathLike | Sequence[str]


@dataclasses.dataclass(frozen=True)
class Documents:
    """Texts that have nothing to do with one another.

    Args:
        path: where they come from.
        texts: the documents.
        empty: how many files, lines or texts without text were skipped.
    """

    path: str
    texts: list[str]
    empty: int

    @property
    def statistics(self) -> Statistics:
        """What was left out."""
        return Statistics({"empty documents skipped": self.empty})

    def __str__(self) -> str:
        characters = sum(map(len, self.texts))
        facts = f"{self.path}: {len(self.texts)} documents of {characters} characters"
        return with_statistics(facts, self.statistics)


def read_documents(data: DocumentData) -> Documents:
    """Reads plain texts in UTF-8.

    Args:
        data: a file, which is one document; a folder, of which every `.txt` file is one, in the
            order of their names; a `.jsonl` file, with a document as the "text" of each line; or
            a list of documents.

    Raises:
        DataError: at the first line that is not UTF-8.
        UserError: if there is no file or no text.

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
            raise UserError(f"{path} holds no .txt files")
        return _kept(str(path), [_read(file) for file in files])
    if path.suffix.lower() == ".jsonl":
        rows = read_rows(path, [("text",)], "documents")
        return _kept(str(path), [cells[0] if cells else "" for _, cells in rows])
    return _kept(str(path), [_read(path)])


def _kept(path: str, texts: list[str]) -> Documents:
    kept = [text for text in texts if text.strip()]
    if not kept:
        raise UserError(f"{path} holds no text" if texts else "there are no texts")
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
