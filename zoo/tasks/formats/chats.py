"""Chats, preferences or documents, as language models are trained on."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from zoo.data.readers.chats import Chats, chats_of, first_row, is_chat, read_chats
from zoo.data.readers.column_names import ReadOptions
from zoo.data.readers.documents import Documents, read_documents, read_documents_in_pieces
from zoo.data.readers.files import is_path, paths_of
from zoo.data.readers.preferences import has_preferences, preferences_of, read_preferences
from zoo.data.shards.examples import PreparedExamples
from zoo.errors import UserError
from zoo.tasks.options.causal_lm import Settings
from zoo.text.chats import CHATML


def read_texts(data: Any, options: ReadOptions) -> Documents:
    """Reads a file of chats or preferences, these in memory, or documents; see `read_documents`.

    Raises:
        UserError: If there are several files of chats or preferences.
    """
    if not is_path(data):
        rows = list(data)
        if rows and has_preferences(rows[0]):
            return preferences_of(rows)
        if rows and isinstance(rows[0], list | tuple) and isinstance(rows[0][0], Mapping):
            return chats_of(rows)
        return read_documents(rows, options)
    paths = paths_of(data)
    rows = [first_row(path, options.encoding) for path in paths]
    for is_row, read, what in (
        (has_preferences, read_preferences, "preferences"),
        (is_chat, read_chats, "chats"),
    ):
        if any(map(is_row, rows)):
            if len(paths) > 1:
                raise UserError(f"{what} must be in a single file, got {len(paths)}")
            return read(paths[0], options.encoding)
    return read_documents(data, options)


def read_pieces(data: Any, options: ReadOptions) -> Iterator[Documents]:
    """Reads documents a piece at a time.

    Raises:
        UserError: If they are chats or preferences.
    """
    rows = [first_row(path, options.encoding) for path in paths_of(data)] if is_path(data) else []
    if any(is_chat(row) or has_preferences(row) for row in rows):
        raise UserError("chats are read into memory: train on their file, without preparing it")
    return read_documents_in_pieces(data, options)


def with_template(examples: Documents | PreparedExamples, settings: Settings) -> Settings:
    """The settings with the template of the chats, which whoever uses the model has to know.

    Args:
        examples: Training data.
        settings: The settings of the task.
    """
    if settings.chat_template is None and isinstance(examples, Chats):
        return replace(settings, chat_template=CHATML)
    return settings
