"""Checkpoints whose heads predict values give what Hugging Face's library gives for them."""

import json
from pathlib import Path

import numpy as np
import pytest
from keras import ops

import zoo
from tests.zoo.pretrained import tiny_bert
from tests.zoo.pretrained.features import ids_of, inputs_of
from tests.zoo.pretrained.tiny_bert import drawn, write
from zoo.errors import UserError

REFERENCE = np.load(Path(__file__).parents[2] / "references" / "bert.npz")
HEADED = "BertForSequenceClassification"
TEXTS = ["A man in a red hat.", "Über dogs!", "", "zebra 你b"]
ROWS = [("a red hat", 4.5), ("a dog runs", 1.5)] * 6
HOW = {"epochs": 8, "learning_rate": 0.01, "xla": False, "verbose": False}
NAMES = {"0": "price", "1": "stars", "2": "length"}


@pytest.fixture
def single(tmp_path, monkeypatch):
    """A checkpoint with a single output, like that of a cross-encoder."""
    monkeypatch.setattr(tiny_bert, "LABELS", {"0": "LABEL_0"})
    return write(tmp_path / "checkpoint", HEADED, id2label={"0": "LABEL_0"})


def test_several_outputs_are_those_of_hugging_face(tmp_path):
    task = zoo.from_pretrained(write(tmp_path, HEADED, problem_type="regression", id2label=NAMES))
    assert task.name == "text-regressor" and task.value_names == list(NAMES.values())
    inputs = {
        "token_ids": REFERENCE["ids"].astype("int32"),
        "padding_mask": REFERENCE["ids"] != 0,
        "segment_ids": REFERENCE["segments"].astype("int32"),
    }
    logits = task.model({name: ops.convert_to_tensor(x) for name, x in inputs.items()})["logits"]
    actual = ops.convert_to_numpy(task.head.outputs(logits)["values"])
    np.testing.assert_allclose(actual, REFERENCE[f"{HEADED}/logits"], atol=1e-5)


def test_a_single_output_is_a_value(single):
    task = zoo.from_pretrained(single)
    assert task.name == "text-regressor" and task.value_names == ["LABEL_0"]
    kernel, bias = drawn("classifier.weight", (1, tiny_bert.WIDTH)), drawn("classifier.bias", (1,))
    for text, actual in zip(TEXTS, task.predict(TEXTS), strict=True):
        pooled = task.model.backbone(inputs_of(task, ids_of(task, [text])))["pooled"]
        expected = ops.convert_to_numpy(pooled)[0].astype("float64") @ kernel[0] + bias[0]
        assert actual == pytest.approx(expected, abs=1e-5)


def test_pairs_are_scored(single):
    task = zoo.from_pretrained(single, pairs=True)
    pairs = [("a man", "a red hat"), ("a man", "a dog")]
    first, second = task.predict(pairs)
    assert first != second
    assert task.predict(pairs[1:]) == pytest.approx([second], abs=1e-6)


def test_a_cross_encoder_ranks_and_is_written_again(single, tmp_path):
    task = zoo.from_pretrained(single, "text-pair-scorer")
    passages = ["a red hat", "a dog", "man"]
    expected = zoo.from_pretrained(single, pairs=True).predict([("a man", p) for p in passages])
    found = task.rank("a man", passages)
    assert [passages.index(each.text) for each in found] == np.argsort(expected)[::-1].tolist()
    task.fit([(*row, 3.0 * n) for n, row in enumerate([("a man", "hat"), ("dog", "runs")])], **HOW)
    expected = task.predict([("a man", p) for p in passages])
    folder = zoo.to_pretrained(task, tmp_path / "written")
    again = zoo.from_pretrained(folder, "text-pair-scorer")
    assert again.settings.pairs and again.value_names == task.value_names
    actual = again.predict([("a man", p) for p in passages])
    np.testing.assert_allclose(actual, expected, atol=1e-5)


def test_a_trained_regressor_is_written_in_the_units_of_its_data(single, tmp_path):
    task = zoo.from_pretrained(single, "text-regressor", value_names=["stars"])
    task.fit(ROWS, **HOW)
    assert task.head.means == [3.0] and task.head.scales == [1.5]
    expected = task.predict(TEXTS)
    folder = zoo.to_pretrained(task, tmp_path / "written")
    config = json.loads((folder / "config.json").read_text())
    assert config["problem_type"] == "regression" and config["id2label"] == {"0": "stars"}
    again = zoo.from_pretrained(folder)
    assert again.name == "text-regressor" and again.value_names == ["stars"]
    np.testing.assert_allclose(again.predict(TEXTS), expected, atol=1e-5)


def test_a_head_of_values_is_no_classifier(single):
    with pytest.raises(UserError, match="predicts values, no labels: load it as a text-regressor"):
        zoo.from_pretrained(single, "text-classifier")
    task = zoo.from_pretrained(single, "text-classifier", labels=["bad", "good"])
    task.adapt([("a red hat", "good"), ("a dog", "bad")])
    assert task.model.output["logits"].shape == (None, 2)


def test_a_run_gives_its_encoder_to_a_regressor(single, tmp_path):
    before = zoo.from_pretrained(single)
    before.save(tmp_path / "run")
    task = zoo.from_pretrained(tmp_path / "run", "text-regressor")
    task.adapt(ROWS)
    ours, theirs = (each.model.backbone.embedding.weights[0] for each in (task, before))
    np.testing.assert_array_equal(ours, theirs)
    assert task.head.means == [3.0] and task.value_names == ["value"]
