"""Language models of chats: what is learned, and answers."""

import json
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import zoo
from zoo.data.readers.chats import chats_of
from zoo.errors import UserError
from zoo.tasks.causal_lm import FORMAT
from zoo.tasks.likelihood import token_objective
from zoo.tasks.token_streams import windows_of
from zoo.text.chats import CHATML

CHATS: list[Any] = [
    [{"role": "user", "content": f"what is {a}?"}, {"role": "assistant", "content": f"it is {a}"}]
    for a in ("red", "blue", "tall")
]
SIZES: dict[str, Any] = {"num_layers": 1, "hidden_dim": 16, "num_heads": 2, "intermediate_dim": 24}


@pytest.fixture(scope="module")
def task() -> Any:
    task = zoo.CausalLM("llama", "tiny", max_length=96, max_new_tokens=8, **SIZES)
    task.adapt(CHATS)
    return task


def test_only_answers_are_learned(task: Any) -> None:
    examples = chats_of(CHATS)
    windows = windows_of(examples, FORMAT, task.fitted, batch_size=1)
    learned = []
    for inputs, labels in windows.dataset(shuffle=False):
        kept = labels.numpy() != task.special_tokens.pad
        learned.append(labels.numpy()[kept])
        # The rest of the chat is read.
        assert kept.sum() < inputs["padding_mask"].numpy().sum()
    text = task.tokenizer.detokenize(tf.constant([np.concatenate(learned)])).numpy()[0].decode()
    assert text == "it is redit is blueit is tall"
    assert (np.concatenate(learned) == task.special_tokens.end).sum() == 3


def test_loss_and_gradient_are_those_of_the_answers(task: Any) -> None:
    windows = windows_of(chats_of(CHATS), FORMAT, task.fitted, batch_size=1)
    inputs, labels = next(iter(windows.dataset(shuffle=False)))
    columns = next(windows.columns(shuffle=False))
    answers = columns["is_answer"][:, 1:]
    logits = tf.Variable(task.model(inputs)["logits"])
    loss_of = token_objective(task.special_tokens.pad).loss
    loss_of = loss_of["logits"] if isinstance(loss_of, dict) else loss_of
    with tf.GradientTape() as tape:
        loss = loss_of(labels, logits)
    gradient = np.asarray(tape.gradient(loss, logits))

    x = np.asarray(logits, "float64")
    p = np.exp(x - x.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    targets = columns["token_ids"][:, 1:]
    rows, places = np.nonzero(answers)
    expected = -np.log(p[rows, places, targets[rows, places]]).mean()
    np.testing.assert_allclose(float(loss), expected, rtol=1e-5)
    assert not gradient[~answers].any()
    one_hot = np.eye(x.shape[-1])[targets]
    np.testing.assert_allclose(gradient[answers], (p - one_hot)[answers] / answers.sum(), atol=1e-6)


def test_evaluation_is_that_of_the_answers(task: Any) -> None:
    metrics = task.evaluate(CHATS)
    windows = windows_of(chats_of(CHATS), FORMAT, task.fitted, batch_size=1)
    total, count = 0.0, 0
    for columns in windows.columns(shuffle=False):
        ids, answers = columns["token_ids"], columns["is_answer"][:, 1:]
        inputs = {"token_ids": ids[:, :-1], "padding_mask": ids[:, 1:] != task.special_tokens.pad}
        x = np.asarray(keras.ops.convert_to_numpy(task.model(inputs)["logits"]), "float64")
        log_p = x - np.log(np.exp(x).sum(-1, keepdims=True))
        rows, places = np.nonzero(answers)
        total -= log_p[rows, places, ids[:, 1:][rows, places]].sum()
        count += len(rows)
    np.testing.assert_allclose(metrics["loss"], total / count, rtol=1e-4)
    answer_bytes = sum(len(chat[1]["content"]) + 1 for chat in CHATS)
    np.testing.assert_allclose(
        metrics["bits_per_byte"], total / np.log(2) / answer_bytes, rtol=1e-4
    )


def test_answers_are_what_the_prompt_continues_with(task: Any) -> None:
    before, after = f"<|im_start|>user\n{CHATS[0][0]['content']}", "\n<|im_start|>assistant\n"
    ids, rest = task.tokenizer.tokenize([before, after]).to_list()
    prompt = np.array([[*ids, task.special_tokens.end, *rest]])
    written = task.tokenizer.detokenize(task.generate_ids(prompt)).numpy()[0]
    assert task.reply([CHATS[0][:1]]) == [written.decode(errors="replace").strip()]


def test_a_model_knows_the_template_of_the_chats_it_learned(tmp_path: Path) -> None:
    learned = zoo.CausalLM("llama", "tiny", max_length=96, **SIZES)
    assert learned.settings.chat_template is None
    learned.fit(CHATS, epochs=1, folder=tmp_path / "run", verbose=False, xla=False)
    assert learned.settings.chat_template == CHATML
    assert zoo.load(tmp_path / "run").settings.chat_template == CHATML
    texts = zoo.CausalLM("llama", "tiny", max_length=96, **SIZES)
    texts.adapt(["no chats are here"])
    assert texts.settings.chat_template is None


@pytest.mark.thorough
def test_a_model_of_chats_learns_where_an_answer_ends() -> None:
    sizes = {**SIZES, "hidden_dim": 64, "intermediate_dim": 128}
    learned = zoo.CausalLM("llama", "tiny", max_length=96, **sizes)
    learned.fit(CHATS, epochs=150, batch_size=4, learning_rate=5e-3, verbose=False, xla=False)
    answers = learned.reply([chat[:1] for chat in CHATS])
    assert {*answers} <= {chat[1]["content"] for chat in CHATS}


def test_bad_chats_are_refused(task: Any) -> None:
    with pytest.raises(UserError, match="chat 2 has no turn of a user"):
        task.reply([CHATS[0][:1], [{"role": "system", "content": "Be brief."}]])
    with pytest.raises(UserError, match="chat 1 ends with an answer"):
        task.reply([CHATS[0]])
    with pytest.raises(UserError, match=r"chat 1 has \d+ tokens, and .* together may have 96: sh"):
        task.reply([[{"role": "user", "content": "a" * 99}]])
    with pytest.raises(UserError, match="or take a lower max_new_tokens than 95"):
        task.reply([CHATS[0][:1]], max_new_tokens=95)
    with pytest.raises(ValueError, match="max_new_tokens must be"):
        task.reply([CHATS[0][:1]], max_new_tokens=0)


def test_a_chat_may_fill_what_the_answer_leaves(task: Any) -> None:
    """The limit is that of the chat and its answer together, whatever the default is."""
    with pytest.raises(UserError) as refused:
        task.reply([[{"role": "user", "content": "a" * 99}]])
    tokens = int(str(refused.value).split()[3])
    longest = [{"role": "user", "content": "a" * (99 - tokens + 93)}]
    (answer,) = task.reply([longest])
    assert answer == task.reply([longest], max_new_tokens=3)[0]
    with pytest.raises(UserError, match="has 93 tokens"):
        task.reply([longest], max_new_tokens=4)


def test_an_answer_may_end_within_a_character(task: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = task.tokenizer.tokenize(["sí 你"]).to_list()[0]
    monkeypatch.setattr("zoo.tasks.chatting.generate_ids", lambda *_: np.array([tokens[:-1]]))
    assert task.reply([CHATS[0][:1]]) == ["sí \ufffd"]


def test_chats_are_not_prepared(tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    path.write_text(json.dumps({"messages": CHATS[0]}) + "\n")
    task = zoo.CausalLM("llama", "tiny", max_length=96, max_new_tokens=8, **SIZES)
    with pytest.raises(UserError, match="train on their file, without preparing it"):
        task.prepare(path, tmp_path / "shards", processes=1, verbose=False)


@pytest.mark.thorough
def test_run_of_chats_is_trained_saved_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    path.write_text("".join(json.dumps({"messages": chat}) + "\n" for chat in CHATS * 4))
    task = zoo.CausalLM("llama", "tiny", max_length=96, max_new_tokens=8, **SIZES)
    task.adapt(path)
    before = task.evaluate(path)["loss"]
    quiet: dict[str, Any] = {"xla": False, "verbose": False, "learning_rate": 0.01}
    task.fit(path, epochs=10, folder=tmp_path / "run", **quiet)
    task.save(tmp_path / "run")
    assert task.evaluate(path)["loss"] < 0.8 * before
    prompts = [chat[:1] for chat in CHATS]
    assert zoo.load(tmp_path / "run").reply(prompts) == task.reply(prompts)
