"""Checkpoints whose heads predict several labels are classifiers of several labels."""

import json
from pathlib import Path

import numpy as np
from keras import ops

import zoo
from tests.zoo.pretrained.tiny_bert import LABELS, write

REFERENCE = np.load(Path(__file__).parents[2] / "references" / "bert.npz")
HEADED = "BertForSequenceClassification"
TEXTS = ["A man in a red hat.", "Über dogs!", "zebra 你b"]


def test_probabilities_are_those_of_hugging_face(tmp_path):
    folder = write(tmp_path / "checkpoint", HEADED, problem_type="multi_label_classification")
    task = zoo.from_pretrained(folder)
    assert task.name == "text-classifier" and task.settings.multi_label
    assert task.labels == list(LABELS.values())
    inputs = {
        "token_ids": REFERENCE["ids"].astype("int32"),
        "padding_mask": REFERENCE["ids"] != 0,
        "segment_ids": REFERENCE["segments"].astype("int32"),
    }
    logits = task.model({name: ops.convert_to_tensor(x) for name, x in inputs.items()})["logits"]
    actual = ops.convert_to_numpy(task.head.outputs(logits)["scores"])
    theirs = REFERENCE[f"{HEADED}/logits"].astype("float64")
    np.testing.assert_allclose(actual, 1 / (1 + np.exp(-theirs)), atol=1e-5)

    written = zoo.to_pretrained(task, tmp_path / "written")
    config = json.loads((written / "config.json").read_text())
    assert config["problem_type"] == "multi_label_classification"
    again = zoo.from_pretrained(written)
    assert again.predict(TEXTS) == task.predict(TEXTS)
    np.testing.assert_array_equal(again.predict_proba(TEXTS), task.predict_proba(TEXTS))
