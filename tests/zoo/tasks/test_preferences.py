"""Language models that are tuned to prefer one answer to another."""

import dataclasses
import json

import numpy as np
import pytest
import tensorflow as tf
from keras import ops

import zoo
from tests.zoo.training.test_direct_preference import oracle
from zoo.data.readers.preferences import preferences_of
from zoo.errors import UserError
from zoo.tasks.options.causal_lm import Training
from zoo.tasks.preferences import preference_batches, preference_objective

ROWS = [
    {"prompt": f"is {a} good?", "chosen": f"yes, {a}", "rejected": f"no, {a} is bad"}
    for a in ("red", "a blue", "tall", "the sea", "it")
]
SIZES = {"num_layers": 2, "hidden_dim": 16, "num_heads": 2, "intermediate_dim": 24, "dropout": 0.0}


def new_task(model="llama", **settings):
    task = zoo.CausalLM(model, "tiny", max_length=96, max_new_tokens=8, **{**SIZES, **settings})
    task.adapt([row["prompt"] for row in ROWS])
    return task


@pytest.fixture(scope="module")
def task():
    return new_task()


def training(**options):
    return Training(loss="dpo", **options)


def test_labels_are_the_answers_and_the_loss_is_that_of_the_paper(task):
    batches = preference_batches(preferences_of(ROWS), task.fitted, training(batch_size=3), True)
    objective = preference_objective(0.2, task.special_tokens.pad)
    seen = []
    for inputs, labels in batches.dataset(shuffle=False):
        logits = np.asarray(task.model(inputs)["logits"], "float64")
        labels = np.asarray(labels)
        tokens = np.where(labels[:, 1:] == task.special_tokens.pad, -1, labels[:, 1:]).astype(int)
        seen += [row[row >= 0].tolist() for row in tokens if (row >= 0).any()]
        real = (tokens >= 0).any(1)
        loss, margins, _ = oracle(logits[real], tokens[real], labels[real, 0], beta=0.2)
        # The model is the reference, as nothing is learned yet.
        np.testing.assert_allclose(margins, 0, atol=1e-4)
        actual = objective.loss["logits"](labels, ops.convert_to_tensor(logits, "float32"))
        assert float(actual) == pytest.approx(loss, rel=1e-5) == pytest.approx(np.log(2), rel=1e-4)
    texts = {text.decode() for text in task.tokenizer.detokenize(tf.ragged.constant(seen)).numpy()}
    assert texts == {row[name] for row in ROWS for name in ("chosen", "rejected")}
    assert all(row[-1] == task.special_tokens.end for row in seen)


@pytest.mark.quick(1)
@pytest.mark.parametrize("rank", [None, 3])
def test_training_raises_the_accuracy_of_the_rewards(rank, tmp_path):
    task = new_task()
    options = {"lora_rank": rank} if rank else {}
    history = task.fit(
        ROWS, validation_data=ROWS, loss="dpo", beta=0.5, epochs=6, learning_rate=1e-2,
        warmup=1, batch_size=5, xla=False, verbose=False, folder=str(tmp_path / "run"), **options,
    )  # fmt: skip
    accuracy = history.history["val_reward_accuracy"]
    assert accuracy[-1] == 1.0
    assert history.history["val_reward_margin"][-1] > history.history["val_reward_margin"][0] > 0
    assert history.history["val_loss"][-1] < history.history["val_loss"][0] < np.log(2)
    assert (tmp_path / "run" / "adapter").exists() == bool(rank)


@pytest.mark.quick(1)
@pytest.mark.parametrize("rank", [None, 3])
def test_a_run_that_is_resumed_keeps_its_reference(rank, tmp_path):
    how = {"loss": "dpo", "learning_rate": 1e-2, "warmup": 1, "batch_size": 5, "xla": False,
           "verbose": False, "schedule": "constant"}  # fmt: skip
    how |= {"lora_rank": rank} if rank else {}
    whole, halves = new_task(), new_task()
    expected = whole.fit(ROWS, validation_data=ROWS, epochs=4, **how).history
    folder = str(tmp_path / "run")
    halves.fit(ROWS, validation_data=ROWS, epochs=2, folder=folder, **how)
    again = zoo.load(folder)
    found = again.fit(ROWS, validation_data=ROWS, epochs=4, folder=folder, resume=True,
                      xla=False, verbose=False).history  # fmt: skip
    np.testing.assert_allclose(found["val_loss"], expected["val_loss"], rtol=1e-5)


def test_only_the_last_answer_is_compared(task):
    before = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"},
        {"role": "user", "content": "c"},
    ]
    rows = [{"prompt": before, "chosen": "yes", "rejected": "no"}]
    longer = dataclasses.replace(
        task.fitted, settings=dataclasses.replace(task.settings, max_length=200)
    )
    batches = preference_batches(preferences_of(rows), longer, training(), True)
    ((_, labels),) = batches.dataset(shuffle=False)
    counts = (np.asarray(labels)[:, 1:] != task.special_tokens.pad).sum(1)
    assert counts.tolist() == [len("yes") + 1, len("no") + 1]  # with the end token


def test_long_answers_are_cut_and_long_prompts_refused(task):
    long = {"prompt": "is it?", "chosen": "yes " * 60, "rejected": "no"}
    batches = preference_batches(preferences_of([long]), task.fitted, training(), True)
    ((inputs, labels),) = batches.dataset(shuffle=False)
    assert inputs["token_ids"].shape == (2, 96) and labels.shape == (2, 97)
    assert batches.statistics["answers truncated"] == 1
    rows = [*ROWS, {**long, "prompt": "is it? " * 30}]
    with pytest.raises(UserError, match="pair 6 has a prompt of .* tokens, and the model reads 96"):
        preference_batches(preferences_of(rows), task.fitted, training(), True)


def test_other_data_and_other_losses_are_refused(task, tmp_path):
    with pytest.raises(UserError, match="loss dpo is for a .jsonl file with prompt, chosen and"):
        task.fit(["to be or not to be"], loss="dpo", epochs=1, verbose=False)
    with pytest.raises(UserError, match="the data are preferences: train with loss dpo"):
        task.fit(ROWS, epochs=1, verbose=False)
    with pytest.raises(UserError, match="beta must be"):
        task.fit(ROWS, loss="dpo", beta=0.0, verbose=False)
    stateful = zoo.CausalLM("rnn_lm", "tiny", units=8, stateful_batch_size=2, max_length=64)
    stateful.adapt(["to be or not to be"])
    with pytest.raises(UserError, match="models without a stateful_batch_size"):
        stateful.fit(ROWS, loss="dpo", epochs=1, verbose=False)


def test_they_are_evaluated_as_chats_with_the_chosen_answers(task):
    chats = [
        [
            {"role": "user", "content": row["prompt"]},
            {"role": "assistant", "content": row["chosen"]},
        ]
        for row in ROWS
    ]
    found, expected = task.evaluate(ROWS), task.evaluate(chats)
    assert {name: found[name] for name in expected} == expected


def test_from_the_command_line(tmp_path):
    from tests.zoo.test_cli import run

    (tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, ROWS)), "utf-8")
    sizes = [f"--set={name}={value}" for name, value in SIZES.items()]
    run("train", "causal-lm", "--model", "llama", *sizes, "--data", tmp_path / "p.jsonl",
        "--validation", tmp_path / "p.jsonl", "--loss", "dpo", "--beta", "0.2", "--epochs", "2",
        "--no-xla", "--out", tmp_path / "run")  # fmt: skip
    assert "val_reward_margin" in (tmp_path / "run" / "history.csv").read_text("utf-8")


def test_evaluate_measures_which_answer_is_more_probable(task, tmp_path):
    special, expected = task.special_tokens, []
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    batches = preference_batches(preferences_of(ROWS), task.fitted, training(batch_size=5), True)
    for inputs, labels in batches.dataset(shuffle=False):
        logits = np.asarray(task.model(inputs)["logits"], "float64")
        log_p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
        tokens = np.asarray(labels)[:, 1:].astype(int)
        of_tokens = np.take_along_axis(log_p, tokens[..., None], -1)[..., 0]
        sums = np.where(tokens == special.pad, 0, of_tokens).sum(1)
        expected += [pair for pair in sums.reshape(-1, 2) if pair.any()]
    chosen, rejected = np.array(expected).T
    metrics = task.evaluate(path)
    assert list(metrics)[:2] == ["preference_accuracy", "preference_margin"]
    assert metrics["preference_accuracy"] == np.mean(chosen > rejected)
    assert metrics["preference_margin"] == pytest.approx(np.mean(chosen - rejected), rel=1e-4)
    assert metrics["perplexity"] > 1


def test_tuning_raises_what_evaluate_measures():
    tuned = new_task()
    before = tuned.evaluate(ROWS)["preference_margin"]
    tuned.fit(
        ROWS, loss="dpo", beta=0.5, epochs=6, learning_rate=1e-2, warmup=1, batch_size=5,
        xla=False, verbose=False,
    )  # fmt: skip
    after = tuned.evaluate(ROWS)
    assert after["preference_margin"] > before + 1 and after["preference_accuracy"] == 1.0
