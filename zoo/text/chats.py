"""Chats as texts: rendered by the template of a checkpoint, in parts that are answers or not."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from zoo.errors import UserError
from zoo.text import chat_worker
from zoo.text.tokenizer import Tokenizer

Message = dict[str, Any]  # `role` and `content`
Chat = list[Message]
Segments = list[tuple[str, bool]]  # texts, each with whether it is an answer
ASSISTANT, USER = "assistant", "user"
# The format of chats without a template: ChatML, with the tokenizer's own end token.
CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + eos_token + '\\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
SECONDS = 60  # of a call, besides a hundredth for each chat


def chat_segments(
    template: str | None, chats: Sequence[Chat], tokenizer: Tokenizer, prompt: bool = False
) -> list[Segments]:
    """The texts of chats in parts, each with whether it is an answer of the assistant.

    Without a template, chats have the form ChatML: `<|im_start|>`, the role, a line break, the
    content, the end token of the tokenizer, which is `<|im_end|>` in checkpoints for ChatML, and a
    line break. An answer includes the token that ends it. Another template is rendered in Jinja's
    sandbox, in a process with limits of time and memory.

    Args:
        template: A Jinja template as in `tokenizer_config.json`; or None, which is `CHATML`.
        chats: The chats.
        tokenizer: The tokenizer, which has the special tokens that templates name.
        prompt: Whether the text is a prompt, which the answer of the assistant follows.

    Raises:
        UserError: If the template is not valid, fails, takes too long, or cannot tell the answers;
            or the package jinja2 is missing.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> chat = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
        >>> chat_segments(None, [chat], train_tokenizer("bytes", [], 300))[0][4]
        ('Hello[END]', True)
    """
    tokens = named_tokens(tokenizer)
    if template in (None, CHATML):
        return [_chatml(chat, tokens["eos_token"], prompt) for chat in chats]
    return rendered(template, chats, tokens, prompt)


def named_tokens(tokenizer: Tokenizer) -> dict[str, str]:
    """The special tokens that a chat template may name, such as `eos_token`.

    Example:
        >>> from zoo.text import train_tokenizer
        >>> named_tokens(train_tokenizer("bytes", [], 300))["eos_token"]
        '[END]'
    """
    special = tokenizer.special_tokens
    named = {"bos_token": special.start, "eos_token": special.end, "pad_token": special.pad}
    return {name: tokenizer.vocabulary[i] for name, i in named.items() if i >= 0}


def rendered(
    template: str, chats: Sequence[Chat], tokens: Mapping[str, str], prompt: bool
) -> list[Segments]:
    """The texts that a template makes of chats, in parts; see `chat_segments`.

    Args:
        template: The template.
        chats: The chats.
        tokens: The special tokens that the template may name, such as `bos_token`.
        prompt: Whether the text is a prompt, which is one part.

    Raises:
        UserError: If the template is not valid, fails, takes too long, or cannot tell the answers;
            or the package jinja2 is missing.
    """
    if find_spec("jinja2") is None:
        raise UserError("chat templates require the package jinja2: pip install 'keras-attn[chat]'")
    request = {"template": template, "chats": chats, "prompt": prompt, "tokens": tokens}
    try:
        done = subprocess.run(
            [sys.executable, "-P", str(Path(chat_worker.__file__))],
            input=json.dumps(request),
            capture_output=True,
            text=True,
            timeout=SECONDS + len(chats) / 100,
            check=True,
        )
        answer = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise UserError("the chat template takes too long") from None
    except subprocess.CalledProcessError as error:
        if chat_worker.LATE in error.stderr:
            raise UserError(
                f"the chat template takes more than {chat_worker.SECONDS} seconds for a chat"
            ) from None
        raise UserError("the chat template failed, or took too much memory") from None
    if "error" in answer:
        raise UserError(f"the chat template {answer['error']}")
    return [[(text, is_answer) for text, is_answer in chat] for chat in answer["chats"]]


def _chatml(chat: Chat, end: str, prompt: bool) -> Segments:
    """What `CHATML` renders, without Jinja."""
    parts: Segments = []
    for message in chat:
        body = f"{message['content']}{end}"
        head = f"<|im_start|>{message['role']}\n"
        parts += [(head, False), (body, message["role"] == ASSISTANT), ("\n", False)]
    return [*parts, (f"<|im_start|>{ASSISTANT}\n", False)] if prompt else parts


def chat_ids(segments: Segments, tokenizer: Tokenizer) -> tuple[np.ndarray, np.ndarray]:
    """The ids of a chat, and which of them are answers.

    Special tokens in the text, such as `<|im_start|>` or `[END]`, become their ids. Answers are
    tokenized apart, as they are generated. Where the tokenizer puts the start token before texts,
    the chat begins with it, unless the template wrote it.

    Args:
        segments: The parts of the text.
        tokenizer: The tokenizer.

    Outputs: int32 ids (T,) and booleans (T,).

    Example:
        >>> from zoo.text import train_tokenizer
        >>> ids, answers = chat_ids([("a", False), ("bc", True)], train_tokenizer("bytes", [], 300))
        >>> ids.tolist(), answers.tolist()
        ([101, 102, 103], [False, True, True])
    """
    ids: list[np.ndarray] = []
    answers: list[np.ndarray] = []
    special = tokenizer.special_tokens
    around = (i for i in (special.start, special.end) if i >= 0)
    marked = {tokenizer.vocabulary[i]: i for i in (*around, *tokenizer.marked)}
    joined = _joined(segments)
    cut = [(piece, is_answer) for text, is_answer in joined for piece in _cut(text, marked)]
    plain = [piece for piece, _ in cut if piece not in marked]
    tokens = iter(tokenizer.tokenize(plain).to_list() if plain else [])
    for piece, is_answer in cut:
        row = [marked[piece]] if piece in marked else next(tokens)
        ids.append(np.asarray(row, np.int32))
        answers.append(np.full(len(row), is_answer))
    if tokenizer.adds_start and not (ids and ids[0][:1].tolist() == [special.start]):
        ids.insert(0, np.array([special.start], np.int32))
        answers.insert(0, np.array([False]))
    if not ids:
        return np.zeros(0, np.int32), np.zeros(0, bool)
    return np.concatenate(ids), np.concatenate(answers)


def _joined(segments: Segments) -> Segments:
    """The parts without empty ones; neighbours of one kind are one part."""
    joined: Segments = []
    for text, is_answer in segments:
        if joined and joined[-1][1] == is_answer:
            joined[-1] = (joined[-1][0] + text, is_answer)
        else:
            joined.append((text, is_answer))
    return [each for each in joined if each[0]]


def _cut(text: str, marked: dict[str, int]) -> list[str]:
    """A text, cut before and after each special token."""
    longest_first = sorted(marked, key=len, reverse=True)
    pattern = "|".join(re.escape(piece) for piece in longest_first)
    return [piece for piece in re.split(f"({pattern})", text) if piece]
