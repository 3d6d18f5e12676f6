"""Answers to chats, of the tasks that continue texts."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from zoo.errors import UserError
from zoo.option_names import option_name
from zoo.tasks.generating import generate_ids, max_new_tokens_of
from zoo.tasks.task import Task
from zoo.text.chats import USER, Chat, chat_ids, chat_segments


def reply(task: Task, chats: Sequence[Chat], **generation: Any) -> list[str]:
    """Generates the next answer of the assistant in each chat.

    Args:
        chats: The chats: lists of messages, each a dictionary with `role` and `content`.
        **generation: See `zoo.decoding.options.GenerationOptions`. Without `max_new_tokens`, a long
            chat leaves less room for its answer than the default.

    Returns:
        The answers, which end before the end token.

    Raises:
        UserError: If a chat has no turn of a user, or is longer than the model reads.

    Example:
        >>> import zoo
        >>> task = zoo.CausalLM("rnn_lm", "tiny", units=8, max_length=64, max_new_tokens=4)
        >>> task.adapt(["to be or not to be"])
        >>> len(task.reply([[{"role": "user", "content": "Hi"}]], max_new_tokens=3))
        1
    """
    for number, chat in enumerate(chats, start=1):
        if not any(message.get("role") == USER for message in chat):
            raise UserError(f"chat {number} has no turn of a user")
        if chat[-1].get("role") == "assistant":
            raise UserError(f"chat {number} ends with an answer: add a turn of the user")
    tokenizer, settings = task.tokenizer, task.settings
    rows = chat_segments(settings.chat_template, chats, tokenizer, prompt=True)
    given = generation.pop("max_new_tokens", None)
    answers = []
    for number, segments in enumerate(rows, start=1):
        ids, _ = chat_ids(segments, tokenizer)
        room = settings.max_length - len(ids)
        if room < (1 if given is None else given):
            name = option_name("max_new_tokens")
            lower = "" if given is None else f", or take a lower {name} than {given}"
            raise UserError(
                f"chat {number} has {len(ids)} tokens, and chat and answer together may have "
                f"{settings.max_length}: shorten it{lower}"
            )
        length = min(room, max_new_tokens_of(task)) if given is None else given
        generated = generate_ids(task, ids[np.newaxis], length, **generation)
        # Tokens of bytes may end within a character.
        written = tokenizer.detokenize(tf.constant(generated)).numpy()[0]
        answers.append(written.decode(errors="replace").strip())
    return answers
