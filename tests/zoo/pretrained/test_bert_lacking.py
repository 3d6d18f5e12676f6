"""What an architecture has is read whole or named; that what it may lack is random is told."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from keras import ops
from safetensors.numpy import load_file, save_file

import zoo
from tests.zoo.pretrained.tiny_bert import as_sentence_encoder, tensors, write
from zoo.errors import UserError

REFERENCE = np.load(Path(__file__).parents[2] / "references" / "bert.npz")
TEXTS = ["A man in a red hat.", "Über dogs!"]


@pytest.mark.parametrize(
    ("architecture", "missing"),
    [
        ("BertModel", "pooler.dense.weight"),
        ("BertModel", "pooler.dense.bias"),
        ("BertForPreTraining", "bert.pooler.dense.weight"),
        ("BertForPreTraining", "cls.seq_relationship.bias"),
        ("BertForPreTraining", "cls.predictions.bias"),
        ("BertForMaskedLM", "cls.predictions.transform.dense.weight"),
        ("BertForSequenceClassification", "bert.pooler.dense.bias"),
        ("BertForSequenceClassification", "classifier.weight"),
    ],
)
def test_a_missing_tensor_is_named(architecture, missing, tmp_path):
    with pytest.raises(UserError, match=f"{tmp_path} lacks the tensor {missing}"):
        zoo.from_pretrained(write(tmp_path, architecture, without=(missing,)))


def test_a_part_that_is_missing_whole_is_named_too(tmp_path):
    with pytest.raises(UserError, match="lacks the tensor pooler.dense.weight"):
        zoo.from_pretrained(write(tmp_path, without=("pooler.",)))


def test_a_sentence_encoder_needs_no_pooler(tmp_path):
    whole = zoo.from_pretrained(as_sentence_encoder(write(tmp_path / "whole")))
    folder = as_sentence_encoder(write(tmp_path / "without", without=("pooler.",)))
    task = zoo.from_pretrained(folder)
    assert whole.origin == []
    assert task.origin == [f"{folder} has no weights for pooler: initialized with random weights"]
    np.testing.assert_array_equal(task.embed(TEXTS), whole.embed(TEXTS))
    # What is told by a pooler is another matter.
    with pytest.warns(
        UserWarning, match="has no weights for pooler: initialized with random weights"
    ):
        zoo.from_pretrained(folder, task="text-classifier")

    half = as_sentence_encoder(write(tmp_path / "half", without=("pooler.dense.bias",)))
    with pytest.raises(UserError, match="lacks the tensor pooler.dense.bias"):
        zoo.from_pretrained(half)


def test_what_a_masked_lm_lacks_is_told(tmp_path, monkeypatch):
    folder = write(tmp_path, "BertForMaskedLM")
    note = f"{folder} has no weights for pooler and next_sentence: initialized with random weights"
    with pytest.warns(UserWarning, match=note) as actual:
        task = zoo.from_pretrained(folder)
    assert [Path(each.filename) for each in actual] == [Path(__file__)]
    monkeypatch.setattr("zoo.tasks.training_run.train", lambda model, data, *_: data.notes)
    assert task.fit(["a man runs. a dog runs."] * 2, verbose=False)[0] == note
    with pytest.warns(
        UserWarning, match="has no weights for pooler: initialized with random weights"
    ):
        zoo.from_pretrained(folder, task="multi-task")
    with warnings.catch_warnings(action="error"):  # no output goes through a pooler
        assert "pooler" in zoo.from_pretrained(folder, task="token-tagger").origin[0]


def test_what_a_masked_lm_has_beside_is_read(tmp_path):
    """As of bert-base-uncased, which was trained on both and is told to be a masked LM."""
    folder = write(tmp_path, "BertForPreTraining", architectures=["BertForMaskedLM"])
    task = zoo.from_pretrained(folder)
    assert task.origin == []
    weights = tensors("BertForPreTraining")
    kernel, bias = (ops.convert_to_numpy(weight) for weight in task.model.next_sentence.weights)
    np.testing.assert_array_equal(kernel, weights["cls.seq_relationship.weight"].T)
    np.testing.assert_array_equal(bias, weights["cls.seq_relationship.bias"])
    kernel, _ = (ops.convert_to_numpy(weight) for weight in task.model.backbone.pooler.weights)
    np.testing.assert_array_equal(kernel, weights["bert.pooler.dense.weight"].T)


def test_the_first_names_of_norms_are_known(tmp_path):
    folder = write(tmp_path)
    file = folder / "model.safetensors"
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    renamed = load_file(file)
    for name in list(renamed):
        for new, first in old.items():
            if name.endswith(new):
                renamed[name.replace(new, first)] = renamed.pop(name)
    assert "embeddings.LayerNorm.gamma" in renamed and "embeddings.LayerNorm.bias" not in renamed
    expected = zoo.from_pretrained(folder).embed(TEXTS)
    save_file(renamed, file)
    np.testing.assert_array_equal(zoo.from_pretrained(folder).embed(TEXTS), expected)
