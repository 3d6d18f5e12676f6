"""Prompts and conversations with the answers of a language model, by which a bundle is verified."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from export.litertlm_protocol import LiteRTLMModel
from export.worker.bundle_checks import ANSWER, CHAT, COUNT, GENERATE, MESSAGES, TEXT
from export.worker.bundle_likelihood import IDS, LOG_PROBABILITIES, PASSAGE, PREDICTED
from export.worker.probes import Probe, Tensors

NEW_TOKENS = 16  # of the answer to a prompt
OF_CHAT = 48  # of the answer in a conversation

_CAPITAL = {"role": "user", "content": "What is the capital of France?"}
_TERSE = {"role": "system", "content": "You answer in one word."}
_HELLO = [{"role": "user", "content": "Hello!"}, {"role": "assistant", "content": "Hi, Zoë."}]
CONVERSATIONS = ([_CAPITAL], [_TERSE, _CAPITAL], [*_HELLO, _CAPITAL])
IN_PARTS = [
    [{**each, "content": [{"type": "text", "text": each["content"]}]} for each in messages]
    for messages in CONVERSATIONS
]


def bundle_probes(form: LiteRTLMModel, samples: bool = False) -> dict[str, list[Probe]]:
    """The probes of a language model.

    Args:
        form: The language model.
        samples: Whether to add many ordinary prompts, by which a quantized bundle is judged.

    Raises:
        ValueError: If the chat template is invalid, or does not end, or makes prompts that leave no
            room for an answer.
    """
    prompts = form.prompts(samples)
    given = [_inputs(text, ids, NEW_TOKENS, form.max_length) for text, ids in prompts]
    probes = {GENERATE: _answered(form, given), PASSAGE: [_passage(form)]}
    if form.chat_template:
        probes[CHAT] = _answered(form, _conversations(form))
    return probes


def _passage(form: LiteRTLMModel) -> Probe:
    """The passage of ordinary text, and what the model gives for it."""
    log_p, predicted = form.likelihood(form.passage)
    outputs = {
        LOG_PROBABILITIES: np.array(log_p, np.float32),
        PREDICTED: np.array(predicted, np.int32),
    }
    return Probe({IDS: np.array(form.passage, np.int32)}, outputs)


def _conversations(form: LiteRTLMModel) -> list[Tensors]:
    """The conversations that leave room for an answer, with what the template makes of them."""
    texts = form.rendered(IN_PARTS)
    prompts = [(text, form.encode(text)) for text in texts]
    shortest = min(len(ids) for _, ids in prompts)
    if not 0 < shortest < form.max_length:
        raise ValueError(
            f"the chat template makes a prompt of {shortest} tokens of a short conversation, "
            f"and max_length is {form.max_length}: choose a greater one"
        )
    given = []
    for messages, (prompt, ids) in zip(CONVERSATIONS, prompts, strict=True):
        if len(ids) < form.max_length:
            content = np.array(json.dumps(messages), object)
            given.append({**_inputs(prompt, ids, OF_CHAT, form.max_length), MESSAGES: content})
    return given


def _inputs(text: str, ids: Sequence[int], count: int, max_length: int) -> Tensors:
    return {
        TEXT: np.array(text, object),
        IDS: np.array(ids, np.int32),
        COUNT: np.array(min(count, max_length - len(ids)), np.int32),
    }


def _answered(form: LiteRTLMModel, given: list[Tensors]) -> list[Probe]:
    counts = max(int(inputs[COUNT]) for inputs in given)
    answers = form.answers([inputs[IDS].tolist() for inputs in given], counts)
    return [
        Probe(inputs, {ANSWER: np.array(answer, np.int32)})
        for inputs, answer in zip(given, answers, strict=True)
    ]
