"""Chats of files: the three forms, and rows that are not valid."""

import json
from pathlib import Path
from typing import Any

import pytest

from zoo.data.readers.chats import chats_of, first_row, is_chat, read_chats
from zoo.errors import UserError

CHAT = [
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello"},
]


def written(folder: Path, *rows: Any) -> Path:
    path = folder / "chats.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_three_forms_give_the_same_chat(tmp_path: Path) -> None:
    turns = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]
    path = written(
        tmp_path,
        {"messages": [{**CHAT[0], "name": "Ann"}, CHAT[1]], "id": 3},
        "",
        {"conversations": turns},
        {"prompt": "Hi", "completion": "Hello"},
    )
    assert is_chat(first_row(path))
    chats = read_chats(path)
    assert chats.chats == [CHAT] * 3
    assert chats.texts == ["Hi\nHello"] * 3
    assert chats.scored_bytes == 3 * 6
    assert chats.half_lines(2) == ["Hi", "Hi"]


def test_system_turns_are_kept(tmp_path: Path) -> None:
    system = {"from": "system", "value": "Be brief."}
    turns = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]
    path = written(tmp_path, {"conversations": [system, *turns]})
    assert read_chats(path).chats == [[{"role": "system", "content": "Be brief."}, *CHAT]]


def test_tables_of_texts_are_no_chats(tmp_path: Path) -> None:
    for row in ({"text": "messages"}, {"prompt": "Hi"}, [1], "not JSON"):
        assert not is_chat(first_row(written(tmp_path, row)))
    assert not is_chat(first_row(tmp_path / "missing.jsonl"))
    assert not is_chat(first_row(tmp_path))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"messages": []}, r"chats.jsonl:2: expected a list of messages"),
        ({"messages": {"role": "user"}}, ":2: expected a list of messages"),
        ({"messages": [3]}, ":2: each message needs a role and a content"),
        ({"messages": [{"role": "user", "content": ["a"]}]}, ":2: the content of 'user' must be"),
        ({"conversations": [{"value": "Hi"}]}, ":2: each message needs a role"),
        ({"messages": [CHAT[1]]}, ":2: the chat has no turn of a user"),
        ({"prompt": "Hi", "completion": 3}, ":2: the content of 'assistant' must be a text"),
        ("{", ":2: it is not JSON"),
        ("3", ":2: expected a JSON object"),
        ({"messages": [CHAT[0]]}, "chat 2 has no answer of the assistant"),
    ],
)
def test_bad_row_is_refused(tmp_path: Path, row: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_chats(written(tmp_path, {"messages": CHAT}, row))


def test_chats_in_memory() -> None:
    assert chats_of([CHAT, CHAT]).chats == [CHAT] * 2


def test_chats_are_split_by_whole_chats(tmp_path: Path) -> None:
    rows = [{"prompt": f"Hi {number}", "completion": "Hello"} for number in range(10)]
    kept, held = read_chats(written(tmp_path, *rows)).split(0.2)
    assert (len(kept.chats), len(held.chats)) == (8, 2)
    assert not {str(chat) for chat in kept.chats} & {str(chat) for chat in held.chats}
    assert held.texts == ["\n".join(each["content"] for each in chat) for chat in held.chats]
