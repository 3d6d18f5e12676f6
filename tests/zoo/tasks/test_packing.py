"""Language models that are trained on rows of several texts."""

import numpy as np
import pytest
import tensorflow as tf
from keras import ops

import zoo
from zoo.data.readers.chats import chats_of
from zoo.data.readers.documents import read_documents
from zoo.errors import UserError
from zoo.models.gpt import GPT
from zoo.models.llama import Llama
from zoo.models.packed import places
from zoo.models.transformer_options import TransformerOptions
from zoo.tasks.likelihood import token_objective
from zoo.tasks.options.causal_lm import Training
from zoo.tasks.packing import packed_batches

TEXTS = ["to be", "or not to be: that is", "the question", "whether", "'tis nobler in the mind"]
CHATS = [
    [{"role": "user", "content": f"{a}?"}, {"role": "assistant", "content": f"it is {a}"}]
    for a in ("red", "tall", "good")
]
SIZES = {"num_layers": 2, "hidden_dim": 20, "num_heads": 2, "intermediate_dim": 19}
RMS = {"normalization": "rms"}
LENGTHS = (7, 3, 11)


def jittered(model):
    rng = np.random.default_rng(3)
    for weight in model.trainable_variables:
        weight.assign(weight + 0.3 * rng.normal(size=weight.shape))
    return model


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (Llama, {}),
        (Llama, {"options": TransformerOptions(**RMS, position="alibi")}),
        (Llama, {"options": TransformerOptions(**RMS, position="shaw")}),
        (Llama, {"rope_scaling": {"rope_type": "linear", "factor": 2.5}}),
        (GPT, {"max_sequence_length": 29}),
        (GPT, {"options": TransformerOptions(position="sinusoidal")}),
        (GPT, {"options": TransformerOptions(position="rotary")}),
    ],
)
def test_logits_are_those_of_each_text_alone(kind, options):
    model = jittered(kind(23, **SIZES, **options))
    rng = np.random.default_rng(5)
    texts = [rng.integers(0, 23, size)[None] for size in LENGTHS]
    row = np.concatenate([*texts, np.zeros((1, 2), int)], axis=1)
    numbers = np.repeat([1, 2, 3, 0], [*LENGTHS, 2])[None]
    inputs = {"token_ids": row, "padding_mask": numbers > 0}
    packed = ops.convert_to_numpy(model({**inputs, "text_numbers": numbers})["logits"])[0, :-2]
    alone = np.concatenate(
        [
            ops.convert_to_numpy(
                model({"token_ids": ids, "padding_mask": np.ones(ids.shape, bool)})["logits"]
            )[0]
            for ids in texts
        ]
    )
    assert np.abs(ops.convert_to_numpy(model(inputs)["logits"])[0, :-2] - alone).max() > 0.3
    np.testing.assert_allclose(packed, alone, atol=1e-5)


def test_places_begin_again():
    numbers = np.array([[1, 1, 2, 3, 3, 3, 0], [1, 1, 1, 1, 1, 1, 1]])
    actual = ops.convert_to_numpy(places(ops.convert_to_tensor(numbers, "int32")))
    assert actual.tolist() == [[0, 1, 0, 0, 1, 2, 0], [0, 1, 2, 3, 4, 5, 6]]


def new_task(model="llama", **settings):
    sizes = {**SIZES, "dropout": 0.0}
    settings = {"max_length": 64, **sizes, **settings}
    task = zoo.CausalLM(model, "tiny", max_new_tokens=8, **settings)
    task.adapt(TEXTS)
    return task


@pytest.mark.parametrize("model", ["llama", "gpt"])
@pytest.mark.parametrize("data", [TEXTS, CHATS], ids=["texts", "chats"])
def test_loss_and_gradients_are_those_of_each_text_alone(model, data):
    task = new_task(model, max_length=200)
    examples = read_documents(data) if data is TEXTS else chats_of(data)
    pad = task.special_tokens.pad
    loss_of = token_objective(pad).loss["logits"]
    weights = task.model.trainable_variables

    def gradients(batches):
        with tf.GradientTape() as tape:
            pairs = [(task.model(inputs)["logits"], labels) for inputs, labels in batches]
            counts = [float((np.asarray(labels) != pad).sum()) for _, labels in pairs]
            losses = [loss_of(labels, logits) for logits, labels in pairs]
            loss = sum(c * x for c, x in zip(counts, losses, strict=True)) / sum(counts)
        values = [tf.convert_to_tensor(x) for x in tape.gradient(loss, [w.value for w in weights])]
        return float(loss), values

    packed = packed_batches(examples, task.fitted, Training(batch_size=2))
    assert len(packed.rows) < len(data) and any(len(row) > 1 for row in packed.rows)
    alone = []
    for ids, learned in zip(packed._texts, packed._learned, strict=True):
        inputs = {"token_ids": ids[None, :-1], "padding_mask": np.ones((1, len(ids) - 1), bool)}
        alone.append((inputs, np.where(learned[1:], ids[1:], pad)[None]))
    loss, found = gradients(packed.dataset(shuffle=False))
    expected_loss, expected = gradients(alone)
    assert loss == pytest.approx(expected_loss, rel=1e-5)
    for actual, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(actual, wanted, atol=1e-5)


def test_long_texts_are_cut_and_none_is_lost():
    task = new_task()
    data = ["to be or not " * 17, "to be"]
    batches = packed_batches(read_documents(data), task.fitted, Training())
    end, rows = task.special_tokens.end, task.tokenizer.tokenize(data).to_list()
    labels = np.concatenate([x["labels"].ravel() for x in batches.columns(shuffle=False)])
    expected = [*rows[0], end, *rows[1], end]
    assert sorted(labels[labels != task.special_tokens.pad].tolist()) == sorted(expected)
    assert batches.statistics["texts cut"] == len(rows[0]) // 64


def test_training_learns_and_artifacts_are_as_before(tmp_path):
    task = new_task()
    before = task.evaluate(CHATS)["loss"]
    how = {"epochs": 8, "learning_rate": 1e-2, "xla": False, "verbose": False}
    history = task.fit(CHATS, validation_data=CHATS, packing=True, **how,
                       folder=str(tmp_path / "run"))  # fmt: skip
    assert history.history["val_loss"][-1] < before - 1
    again = zoo.load(tmp_path / "run")
    assert again.predict(["to"]) == task.predict(["to"])
    assert sorted(again.model.input) == ["padding_mask", "token_ids"]


def test_with_xla():
    task = new_task()
    losses = [
        new.fit(CHATS, packing=True, epochs=2, learning_rate=1e-2, xla=xla, verbose=False).history
        for new, xla in ((task, True), (new_task(), False))
    ]
    np.testing.assert_allclose(losses[0]["loss"], losses[1]["loss"], rtol=1e-4)


def test_what_cannot_be_packed_is_refused(tmp_path):
    task = zoo.CausalLM("rnn_lm", "tiny", max_length=32)
    task.adapt(TEXTS)
    with pytest.raises(UserError, match="packing is for gpt and llama; rnn_lm reads texts as one"):
        task.fit(TEXTS, packing=True, verbose=False)
    with pytest.raises(UserError, match="packing is for attention 'full': with 'linear'"):
        new_task("gpt", attention="linear").fit(TEXTS, packing=True, verbose=False)
    row = {"prompt": "a", "chosen": "b", "rejected": "c"}
    with pytest.raises(UserError, match="packing is not for loss dpo"):
        new_task().fit([row], packing=True, loss="dpo", verbose=False)
