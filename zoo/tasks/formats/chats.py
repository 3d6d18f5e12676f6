"""Chats or documents, as language models are trained on."""

from collections.abc import Iterator, Mapping
from typing import Any

from zoo.data.readers.chats import chats_of, has_chats, read_chats
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.documents import Documents, read_documents, read_documents_in_pieces
from zoo.data.readers.files import is_path, paths_of
from zoo.errors import UserError


def read_texts(data: Any, options: ReadOptions) -> Documents:
    """Reads a file of chats, chats in memory, or documents; see `read_documents`.

    Raises:
        UserError: If there are several files of chats.
    """
    if _is_of_chats(data, options):
        paths = paths_of(data)
        if len(paths) > 1:
            raise UserError(f"chats must be in a single file, got {len(paths)}")
        return read_chats(paths[0], options.encoding)
    if not is_path(data):
        rows = list(data)
        if rows and isinstance(rows[0], list | tuple) and isinstance(rows[0][0], Mapping):
            return chats_of(rows)
        return read_documents(rows, options)
    return read_documents(data, options)


def read_pieces(data: Any, options: ReadOptions) -> Iterator[Documents]:
    """Reads documents a piece at a time.

    Raises:
        UserError: If they are chats.
    """
    if _is_of_chats(data, options):
        raise UserError("chats are read into memory: train on their file, without preparing it")
    return read_documents_in_pieces(data, options)


def _is_of_chats(data: Any, options: ReadOptions) -> bool:
    return is_path(data) and any(has_chats(path, options.encoding) for path in paths_of(data))
