"""Heads of labels: probabilities and scores equal to NumPy's and scikit-learn's."""

import numpy as np
import pytest
import tensorflow as tf
from keras import ops
from sklearn import metrics

from tests.scores import score_label_sets, score_labels
from zoo.data.readers.label_sets import LabelSetTexts
from zoo.data.readers.labels import LabeledTexts
from zoo.errors import UserError
from zoo.heads.label import LabelHead, label_objective
from zoo.heads.labels import LabelsHead
from zoo.text.form import TextForm
from zoo.training.score_scaling import ScoreScaling

LABELS = ["alder", "birch", "cedar", "döner"]
LOGITS = np.array([[0.3, 2.0, -1.0, 0.1], [4.0, 3.9, -2.0, 0.0], [-1.0, -2.0, -3.0, -0.5]])


def outputs(head):
    actual = head.outputs(ops.convert_to_tensor(LOGITS, "float32"))
    return {name: ops.convert_to_numpy(value) for name, value in actual.items()}


def test_one_label():
    actual, head = outputs(LabelHead(LABELS)), LabelHead(LABELS)
    powers = np.exp(LOGITS)
    np.testing.assert_allclose(actual["scores"], powers / powers.sum(1, keepdims=True), rtol=1e-6)
    assert actual["class_id"].tolist() == [1, 0, 3]
    assert head.names(actual["scores"]) == ["birch", "alder", "döner"]
    assert set(actual) == set(head.axes) and head.axes["scores"] == ("batch", 4)


@pytest.mark.parametrize("form", [TextForm.STRINGS, TextForm.BYTES])
def test_one_label_as_text(form):
    head = LabelHead(LABELS)
    tensors = {name: tf.constant(value) for name, value in outputs(head).items()}
    actual = head.postprocess(tensors, {}, form)
    if form is TextForm.STRINGS:
        rows = [{name: value.numpy()[i] for name, value in actual.items()} for i in range(3)]
        assert [head.result(row) for row in rows] == ["birch", "alder", "döner"]
    else:
        last = bytes(actual["text_bytes"].numpy()[2].astype("uint8"))
        assert last[: actual["text_lengths"][2]].decode() == "döner"


def test_several_labels():
    actual, head = outputs(LabelsHead(LABELS)), LabelsHead(LABELS)
    np.testing.assert_allclose(actual["scores"], 1 / (1 + np.exp(-LOGITS)), rtol=1e-6)
    assert actual["labels"].tolist() == [[1, 1, 0, 1], [1, 1, 0, 1], [0, 0, 0, 0]]
    names = head.names(actual["scores"])
    assert names == [["alder", "birch", "döner"]] * 2 + [[]]
    assert [head.result({"labels": row}) for row in actual["labels"]] == names
    assert [head.text(each) for each in names] == ["alder|birch|döner"] * 2 + [""]
    assert set(actual) == set(head.axes)


def test_scores_equal_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    true, said = rng.random((2, 37, 4)) < 0.4
    head = LabelsHead(LABELS)
    actual = score_label_sets(head.names(true), head.names(said), LABELS)
    assert actual["micro_f1"] == pytest.approx(metrics.f1_score(true, said, average="micro"))
    assert actual["accuracy"] == pytest.approx(metrics.accuracy_score(true, said))

    classes = rng.integers(0, 4, (2, 37))
    a, b = ([LABELS[c] for c in row] for row in classes)
    actual = score_labels(a, b)
    assert actual["accuracy"] == pytest.approx(metrics.accuracy_score(a, b))
    assert actual["macro_f1"] == pytest.approx(metrics.f1_score(a, b, average="macro"))


def test_unknown_labels():
    with pytest.raises(UserError, match="^trees.csv has the label 'oak'; expected one of alder, b"):
        LabeledTexts("trees.csv", ["x", "y"], None, ["birch", "oak"]).class_numbers(LABELS)


def test_class_numbers():
    trees = LabeledTexts("trees.csv", [*"xyz"], None, ["cedar", "alder", "cedar"])
    assert trees.class_numbers(LABELS).tolist() == [2, 0, 2]
    several = LabelSetTexts("trees.csv", [*"xy"], None, label_sets=[("cedar", "alder"), ()])
    assert several.class_numbers(["alder", "birch", "cedar"]).tolist() == [[1, 0, 1], [0, 0, 0]]


def test_losses_and_metrics_of_several_outputs():
    heads = {"trees": LabelHead(LABELS), "yes": LabelHead(["no", "yes"])}
    actual = label_objective(heads, 0.1, "val_mean", {"trees": 0.5})
    assert set(actual.loss) == set(actual.metrics) == set(heads)
    assert (actual.monitor, actual.mode, actual.loss_weights) == ("val_mean", "max", {"trees": 0.5})
    # Label smoothing of 0.1 over four classes: the true one counts 0.925, the others 0.025.
    logits, weights = LOGITS[0], np.array([0.025, 0.925, 0.025, 0.025])
    expected = np.log(np.exp(logits).sum()) - (weights * logits).sum()
    assert float(actual.loss["trees"]([1], logits[None])) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("kind", [LabelHead, LabelsHead])
def test_the_words_for_outputs_name_what_the_rows_are(kind):
    assert "node" in kind(LABELS, "nodes").meanings["scores"]
    assert "node" not in "".join(kind(LABELS).meanings.values())
    assert kind(LABELS).files == {"labels.txt": "alder\nbirch\ncedar\ndöner\n"}


def test_the_words_for_scores_say_what_unknown_texts_get():
    """Also in artifacts, whose manifest, server and page have these words."""
    unknown = "of a text without known tokens the shares of the labels in the training data"
    scaling = ScoreScaling(1.0, (0.25,) * 4)
    assert unknown in LabelHead(LABELS).scaled(scaling).meanings["scores"]
    assert "no known token" in LabelHead(LABELS).scaled(scaling).meanings["unknown"]
    without = LabelHead(LABELS).meanings
    assert unknown not in without["scores"] and "unknown" not in without
