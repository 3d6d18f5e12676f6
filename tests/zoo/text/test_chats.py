"""Chats as texts and ids: ChatML, templates of checkpoints, and templates that misbehave."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.zoo.pretrained.tiny_gpt2 import MERGES
from tests.zoo.pretrained.tiny_llama import END, START, VOCABULARY
from zoo.errors import UserError
from zoo.text import chats, train_tokenizer
from zoo.text.byte_bpe import ByteBPETokenizer
from zoo.text.chats import chat_ids, chat_segments
from zoo.text.tokenizers import tokenizer_of

CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi <b> there"},
    {"role": "assistant", "content": "Hello!"},
    {"role": "user", "content": "Bye"},
    {"role": "assistant", "content": "Bye."},
]
CHATML = (
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] "
    "+ '<|im_end|>' + '\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
REFERENCES = Path(__file__).parents[2] / "references" / "chats.json"


def tokenizer() -> ByteBPETokenizer:
    special = {"start": START, "end": END}
    return ByteBPETokenizer(VOCABULARY, MERGES, special, split_digits=True, added=[START, END])


def joined(segments: list[tuple[str, bool]]) -> str:
    return "".join(text for text, _ in segments)


def test_chatml_marks_the_answers_with_their_ends() -> None:
    (segments,) = chat_segments(None, [CHAT], tokenizer())
    assert joined(segments) == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi <b> there<|im_end|>\n"
        "<|im_start|>assistant\nHello!<|im_end|>\n<|im_start|>user\nBye<|im_end|>\n"
        "<|im_start|>assistant\nBye.<|im_end|>\n"
    )
    assert [text for text, is_answer in segments if is_answer] == [
        "Hello!<|im_end|>",
        "Bye.<|im_end|>",
    ]


def test_prompt_ends_where_the_answer_begins() -> None:
    (segments,) = chat_segments(None, [CHAT[:2]], tokenizer(), prompt=True)
    assert joined(segments).endswith("there<|im_end|>\n<|im_start|>assistant\n")
    assert not any(is_answer for _, is_answer in segments)


def test_special_tokens_become_their_ids() -> None:
    ids, answers = chat_ids(chat_segments(None, [CHAT], tokenizer())[0], tokenizer())
    assert ids[0] == START
    assert (ids == START).sum() == (ids == END).sum() == len(CHAT)
    texts = tokenizer().detokenize([ids[answers]]).numpy()
    assert texts[0] == b"Hello!Bye."
    # Each answer ends with the end token, and nothing else special is learned.
    assert (ids[answers] == END).sum() == 2
    assert (ids[answers] == START).sum() == 0


def test_added_tokens_are_kept_with_the_tokenizer() -> None:
    again = tokenizer_of(json.loads(tokenizer().to_json()))
    assert again.marked == (START, END)


@pytest.mark.parametrize("kind", ["bytes", "wordpiece", "byte-bpe"])
def test_answers_end_with_the_end_token_of_any_tokenizer(kind: str) -> None:
    trained = train_tokenizer(kind, [each["content"] for each in CHAT], 300)
    ids, answers = chat_ids(chat_segments(None, [CHAT], trained)[0], trained)
    end = trained.special_tokens.end
    assert (ids == end).sum() == len(CHAT)
    of_answers = np.flatnonzero(answers)
    (breaks,) = np.nonzero(np.diff(of_answers) > 1)
    lasts = of_answers[[*breaks, -1]]
    assert ids[lasts].tolist() == [end, end] and (ids[answers] == end).sum() == 2


def test_tokenizer_without_special_tokens_spells_them() -> None:
    plain = train_tokenizer("bytes", [], 300)
    ids, answers = chat_ids([("<|im_start|>", False), ("é", True)], plain)
    assert len(ids) == 12 + 2
    np.testing.assert_array_equal(answers, [False] * 12 + [True] * 2)


# --- Templates ---


@pytest.fixture(autouse=True)
def _with_jinja(request: pytest.FixtureRequest) -> None:
    if "template" in request.node.name:
        pytest.importorskip("jinja2", reason="the package jinja2 is not installed")


@pytest.mark.parametrize("of", [tokenizer, lambda: train_tokenizer("bytes", [], 300)])
@pytest.mark.parametrize(("prompt", "chat"), [(False, CHAT), (True, CHAT[:2])])
def test_template_of_chats_without_one_is_rendered_alike_by_jinja(
    of: Any, prompt: bool, chat: Any
) -> None:
    own = chat_segments(None, [chat], of(), prompt)
    assert chat_segments(chats.CHATML, [chat], of(), prompt) == own
    theirs = chats.rendered(chats.CHATML, [chat], chats.named_tokens(of()), prompt)
    assert joined(theirs[0]) == joined(own[0])


def test_template_gives_what_chatml_gives() -> None:
    for prompt, chat in ((False, CHAT), (True, CHAT[:2])):
        own, theirs = (
            chat_segments(template, [chat], tokenizer(), prompt) for template in (None, CHATML)
        )
        assert joined(own[0]) == joined(theirs[0])
        for mine, other in zip(
            *(chat_ids(each[0], tokenizer()) for each in (own, theirs)), strict=True
        ):
            np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("number", range(6))
def test_template_renders_as_in_transformers(number: int) -> None:
    case = json.loads(REFERENCES.read_text("utf-8"))[number]
    (segments,) = chat_segments(case["template"], [case["chat"]], tokenizer(), case["prompt"])
    assert joined(segments) == case["text"]


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
         "takes more than 2 seconds"),
        ("{{ 3 ** (10 ** 9) }}", "takes more than 2 seconds"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "calls itself without end"),
        ("{{ 'a' * 10000000000 }}", "takes too much memory"),
        ("{% for a in range(99999) %}{{ 'a' * 1000 }}{% endfor %}", "writes more than 4,194,304"),
        ("{{ raise_exception('roles must alternate') }}", "failed .roles must alternate"),
        ("{{ messages.__class__.__mro__ }}", "failed .access to attribute '__class__'"),
        ("{{ ''.__class__.__base__.__subclasses__() }}", "failed .access to attribute"),
        ("{% do messages.append(1) %}", "is not valid"),
        ("{{ messages.append(1) }}", "failed"),
        ("{% include '/etc/passwd' %}", "failed"),
        ("{% for", "is not valid"),
        ("{{ 1 / 0 }}", "failed"),
        ("{{ messages | length }}{% for m in messages %}{{ m['content'] }}{% endfor %}",
         "changes earlier messages"),
    ],
)  # fmt: skip
def test_bad_template_is_refused(template: str, message: str) -> None:
    with pytest.raises(UserError, match=f"the chat template {message}|the chat template failed"):
        chat_segments(template, [CHAT], tokenizer())


def test_chat_of_many_templates_is_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    import subprocess

    calls: list[Any] = []
    run = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda *a, **k: calls.append(a) or run(*a, **k))
    assert len(chat_segments(CHATML, [CHAT] * 300, tokenizer())) == 300
    assert len(calls) == 1
