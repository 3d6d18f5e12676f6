"""Chats as lines: what a user says, or a JSON list of messages."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from zoo.errors import UserError
from zoo.json_file import parse_json
from zoo.text.chats import USER, Chat

if TYPE_CHECKING:
    from zoo.tasks.task import Task


def reply_to(task: "Task", lines: Sequence[str], **generation: Any) -> list[str]:
    """The answers of a language model to chats, each of which is a line.

    Args:
        task: The task.
        lines: The lines; see `chat_of`.
        **generation: Options of generation.

    Raises:
        UserError: If the task is none of chats, or a chat is not valid.
    """
    from zoo.tasks.causal_lm import CausalLM

    if not isinstance(task, CausalLM):
        raise UserError(f"--chat is for causal-lm; {task.name} answers no chats")
    answers: list[str] = task.reply([chat_of(line) for line in lines], **generation)
    return answers


def chat_of(line: str) -> Chat:
    """The chat of a line: the turn of a user, or a JSON list of messages.

    Raises:
        UserError: If a list is not valid.

    Example:
        >>> chat_of("Hi"), chat_of('[{"role": "user", "content": "Hi"}]')
        ([{'role': 'user', 'content': 'Hi'}], [{'role': 'user', 'content': 'Hi'}])
    """
    if not line.lstrip().startswith("[{"):
        return [{"role": USER, "content": line}]
    try:
        chat: Chat = parse_json(line)
    except ValueError as error:
        raise UserError(f"a chat that begins with [{{ must be a JSON list ({error})") from None
    for message in chat:
        if not isinstance(message, dict) or not all(
            isinstance(message.get(name), str) for name in ("role", "content")
        ):
            raise UserError("each message of a chat needs a role and a content")
    return chat
