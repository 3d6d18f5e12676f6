"""The reader of chats: a JSON object per line, in the forms of OpenAI, ShareGPT and pairs."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from zoo.data.readers.documents import Documents
from zoo.data.readers.files import read_lines
from zoo.errors import DataError, UserError
from zoo.json_file import parse_json
from zoo.text.chats import ASSISTANT, USER, Chat

SHAREGPT = {"human": USER, "user": USER, "gpt": ASSISTANT, "assistant": ASSISTANT}
SHAREGPT |= {"system": "system", "tool": "tool"}


@dataclasses.dataclass(frozen=True)
class Chats(Documents):
    """Chats, each of which is a document, too: its contents, a line for each message.

    Args:
        chats: The messages of each chat, with `role` and `content`.
    """

    chats: list[Chat] = dataclasses.field(default_factory=list, kw_only=True)

    @property
    def columns(self) -> dict[str, list[Any]]:
        return {"texts": self.texts, "chats": self.chats}

    @property
    def scored_bytes(self) -> int:
        answers = (
            each["content"] for chat in self.chats for each in chat if each["role"] == ASSISTANT
        )
        return sum(len(answer.encode()) + 1 for answer in answers)

    def cell_identity(self, cell: Any) -> Any:
        return str(cell)

    def half_lines(self, count: int) -> list[str]:
        """What the first users say."""
        said = (each["content"] for chat in self.chats for each in chat if each["role"] == USER)
        return [text for text, _ in zip(said, range(count), strict=False)]


def chats_of(rows: Any, path: str = "the chats") -> Chats:
    """Chats in memory: lists of messages, each a dictionary with `role` and `content`.

    Raises:
        DataError: If a chat is not valid.
    """
    chats = [_chat({"messages": row}, path, number) for number, row in enumerate(rows, start=1)]
    return _examples(chats, path)


def read_chats(path: Path, encoding: str | None = None) -> Chats:
    """Reads a `.jsonl` file of chats.

    A line has `messages` with `role` and `content` (OpenAI), `conversations` with `from` and
    `value` (ShareGPT), or `prompt` and `completion`.

    Args:
        path: The file.
        encoding: Its encoding; see `zoo.data.readers.encodings`.

    Raises:
        DataError: If a line is not valid, has no turn of a user, or no answer.
    """
    chats = [_chat(row, path, number) for number, row in json_lines(path, encoding)]
    if not chats:
        raise UserError(f"{path} has no chats")
    return _examples(chats, str(path))


def is_chat(row: Any) -> bool:
    """Whether a row of a file is a chat, with or without a mistake."""
    return isinstance(row, dict) and (
        not {"messages", "conversations"}.isdisjoint(row) or {"prompt", "completion"} <= row.keys()
    )


def first_row(path: Path, encoding: str | None = None) -> Any:
    """The first object of a `.jsonl` file; None if it is no such file."""
    if path.suffix != ".jsonl" or not path.is_file():
        return None
    for _, line in _lines(path, encoding):
        try:
            return parse_json(line)
        except ValueError:
            return None
    return None


def json_lines(path: Path, encoding: str | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a `.jsonl` file with the numbers of their lines.

    Raises:
        DataError: If a line is no JSON object.
    """
    for number, line in _lines(path, encoding):
        yield number, _object(line, path, number)


def _lines(path: Path, encoding: str | None) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(read_lines(path, encoding), start=1):
        if line.strip():
            yield number, line


def _object(line: str, path: Path, number: int) -> dict[str, Any]:
    try:
        row = parse_json(line)
    except ValueError as error:
        raise DataError(path, number, f"it is not JSON ({error})") from None
    if not isinstance(row, dict):
        raise DataError(path, number, "expected a JSON object")
    return row


def _chat(row: dict[str, Any], path: Any, number: int) -> Chat:
    """The messages of a row.

    Raises:
        DataError: If it has none, or they are not valid.
    """
    messages: Any
    if "prompt" in row and "completion" in row:
        messages = [
            {"role": USER, "content": row["prompt"]},
            {"role": ASSISTANT, "content": row["completion"]},
        ]
    elif "conversations" in row:
        messages = [_of_sharegpt(each) for each in _listed(row["conversations"], path, number)]
    else:
        messages = row.get("messages")
    chat = messages_of(messages, path, number)
    roles = {each["role"] for each in chat}
    if USER not in roles:
        raise DataError(path, number, "the chat has no turn of a user")
    return chat


def messages_of(value: Any, path: Any, number: int) -> Chat:
    """The messages in a list, with their roles and contents.

    Raises:
        DataError: If there are none, or they are not valid.
    """
    messages = _listed(value, path, number)
    for each in messages:
        if not isinstance(each, dict) or not isinstance(each.get("role"), str):
            raise DataError(path, number, "each message needs a role and a content")
        if not isinstance(each.get("content"), str):
            raise DataError(path, number, f"the content of {each['role']!r} must be a text")
    return [{"role": each["role"], "content": each["content"]} for each in messages]


def _of_sharegpt(message: Any) -> Any:
    if not isinstance(message, dict):
        return message
    role = message.get("from")
    return {"role": SHAREGPT.get(str(role), role), "content": message.get("value")}


def _listed(value: Any, path: Any, number: int) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise DataError(path, number, "expected a list of messages")
    return value


def _examples(chats: list[Chat], path: str) -> Chats:
    for number, chat in enumerate(chats, start=1):
        if not any(each["role"] == ASSISTANT for each in chat):
            raise UserError(f"{path}: chat {number} has no answer of the assistant to learn")
    texts = ["\n".join(each["content"] for each in chat) for chat in chats]
    return Chats(path, texts, 0, chats=chats)
