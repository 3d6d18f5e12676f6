"""The reader of preferences: a JSON object per line with a chosen and a rejected answer."""

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from zoo.data.readers.chats import Chats, json_lines, messages_of
from zoo.errors import DataError, UserError
from zoo.text.chats import ASSISTANT, USER, Chat

PROMPT, CHOSEN, REJECTED = "prompt", "chosen", "rejected"


@dataclasses.dataclass(frozen=True)
class Preferences(Chats):
    """Chats that end with the better of two answers, which are also chats to learn and to score.

    Args:
        rejected: The same chats, each with the worse answer at its end.
    """

    rejected: list[Chat] = dataclasses.field(default_factory=list, kw_only=True)

    @property
    def columns(self) -> dict[str, list[Any]]:
        return {**super().columns, REJECTED: self.rejected}


def has_preferences(row: Any) -> bool:
    """Whether a row of a file is one of preferences, with or without a mistake."""
    return isinstance(row, Mapping) and not {CHOSEN, REJECTED}.isdisjoint(row)


def read_preferences(path: Path, encoding: str | None = None) -> Preferences:
    """Reads a `.jsonl` file of preferences, as TRL and Hugging Face's datasets write them.

    A line has `prompt`, `chosen` and `rejected`: texts, or lists of messages with `role` and
    `content`. Without a `prompt`, the lists are whole chats, which differ in the last answer; so
    they may be with a text as the `prompt`. Other columns are ignored.

    Args:
        path: The file.
        encoding: Its encoding; see `zoo.data.readers.encodings`.

    Raises:
        DataError: If a line lacks a column, is not valid, or has the same answer twice.
    """
    return _preferences(json_lines(path, encoding), path)


def preferences_of(rows: Iterable[Any], path: str = "the preferences") -> Preferences:
    """Preferences in memory: dictionaries as in a file; see `read_preferences`.

    Example:
        >>> rows = [{"prompt": "Hi", "chosen": "Hello!", "rejected": "No."}]
        >>> preferences_of(rows).rejected[0][-1]["content"]
        'No.'
    """
    return _preferences(enumerate(rows, start=1), path)


def _preferences(rows: Iterable[tuple[int, Any]], path: Any) -> Preferences:
    pairs = [_pair(row, path, number) for number, row in rows]
    if not pairs:
        raise UserError(f"{path} has no preferences")
    chats, rejected = map(list, zip(*pairs, strict=True))
    texts = ["\n".join(each["content"] for each in chat) for chat in chats]
    return Preferences(str(path), texts, 0, chats=chats, rejected=rejected)


def _pair(row: Any, path: Any, number: int) -> tuple[Chat, Chat]:
    if not isinstance(row, Mapping):
        raise DataError(path, number, "expected an object with prompt, chosen and rejected")
    for name in (CHOSEN, REJECTED):
        if name not in row:
            raise DataError(path, number, f"{name} is missing: give chosen and rejected")
    one, other = (_chat(row, name, path, number) for name in (CHOSEN, REJECTED))
    if one[:-1] != other[:-1]:
        raise DataError(path, number, "chosen and rejected must differ in the last answer only")
    if one[-1] == other[-1]:
        raise DataError(path, number, "chosen and rejected are equal: leave the line out")
    if not any(each["role"] == USER for each in one):
        raise DataError(path, number, "the chat has no turn of a user")
    return one, other


def _chat(row: Mapping[str, Any], name: str, path: Any, number: int) -> Chat:
    """The prompt, and an answer to it."""
    prompt, answer = row.get(PROMPT), row[name]
    if isinstance(answer, str):
        if prompt is None:
            raise DataError(path, number, f"prompt is missing, and {name} is a text")
        answer = [{"role": ASSISTANT, "content": answer}]
    messages = messages_of(answer, path, number)
    if isinstance(prompt, str) and len(messages) == 1:
        prompt = [{"role": USER, "content": prompt}]
    if isinstance(prompt, list):
        messages = [*messages_of(prompt, path, number), *messages]
    elif prompt is not None and not isinstance(prompt, str):
        raise DataError(path, number, "prompt must be a text or a list of messages")
    if messages[-1]["role"] != ASSISTANT:
        raise DataError(path, number, f"{name} must end with an answer of the assistant")
    return messages
