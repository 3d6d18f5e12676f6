import numpy as np
import pytest

import export
import zoo
from zoo.errors import UserError
from zoo.heads.label import LabelHead
from zoo.lines import NONE

ROWS = [("fine film", "good"), ("lovely fine day", "good"), ("fine", "good")] * 4
ROWS += [("dull film", "bad")]


def test_a_probability_below_the_threshold_is_none_of_the_labels():
    logits = np.log([[0.7, 0.3], [0.55, 0.45], [0.2, 0.8]]).astype("float32")
    head = LabelHead(["a", "b"], threshold=0.6, other="?")
    outputs = head.outputs(logits)
    assert np.asarray(outputs["class_id"]).tolist() == [0, NONE, 1]
    assert head.names(np.asarray(outputs["scores"])) == ["a", "?", "b"]
    warmer = LabelHead(["a", "b"], temperature=3.0, threshold=0.6)
    assert np.asarray(warmer.outputs(logits)["class_id"]).tolist() == [NONE, NONE, 1]


TEXTS = ["fine film", "dull film", "film"]


def trained(**options):
    task = zoo.TextClassifier("ngram_classifier", **options)
    task.fit(ROWS, epochs=3, xla=False, verbose=False)
    return task


@pytest.fixture(scope="module")
def task():
    """A task that is not sure enough of one of the texts."""
    lowest, second, _ = sorted(trained().predict_proba(TEXTS).max(axis=1).tolist())
    assert lowest < second
    return trained(threshold=(lowest + second) / 2, other_label="none of these")


def test_every_way_to_ask_answers_alike(task, tmp_path):
    texts, scores = TEXTS, task.predict_proba(TEXTS)
    sure = scores.max(axis=1) >= task.settings.threshold
    assert sorted(sure) == [False, True, True]
    want = [
        task.labels[best] if known else "none of these"
        for best, known in zip(scores.argmax(axis=1), sure, strict=True)
    ]
    assert task.predict(texts) == want
    task.save(tmp_path / "run")
    assert zoo.load(tmp_path / "run").predict(texts) == want
    assert export.saved_model(task, tmp_path / "served").passed
    assert export.litert(task, tmp_path / "task.tflite", text="bytes").passed
    for path in ("served", "task.tflite"):
        outputs = export.Predictor(tmp_path / path)(texts)
        assert outputs["text"].tolist() == want
        assert [c == NONE for c in outputs["class_id"]] == [not known for known in sure]


def test_coverage_and_accuracy_of_what_is_answered(task):
    data = [("fine film", "good"), ("film", "good"), ("dull film", "bad"), ("fine", "bad")]
    answers = task.predict([text for text, _ in data])
    known = [answer != "none of these" for answer in answers]
    right = [answer == label for answer, (_, label) in zip(answers, data, strict=True)]
    found = task.evaluate(data, metrics=["coverage", "selective_accuracy", "accuracy"])
    assert found["coverage"] == np.mean(known)
    assert found["selective_accuracy"] == pytest.approx(sum(right) / sum(known))
    assert found["accuracy"] == np.mean(right)


def test_weights_of_labels_find_more_of_the_rare_ones():
    random = np.random.default_rng(0)
    words = [f"w{i}" for i in range(40)]

    def row(rare):
        picked = random.choice(words[:30] if rare else words[10:], 3)
        return " ".join(picked), "rare" if rare else "usual"

    rows, test = ([row(i % 20 == 0) for i in range(size)] for size in (400, 400))
    recall = {}
    for weight in (None, "balanced"):
        task = zoo.TextClassifier("ngram_classifier")
        task.fit(rows, epochs=5, class_weight=weight, xla=False, verbose=False)
        recall[weight] = task.evaluate(test, metrics=["recall_per_label"])["rare_recall"]
    assert recall["balanced"] > recall[None]


@pytest.mark.parametrize("options", [{"class_weight": "balanced"}, {"loss": "focal"}])
def test_options_of_one_label_are_refused_for_several(options):
    rows = [("fine film", "good|short"), ("dull", "short"), ("long day", "good")] * 4
    task = zoo.TextClassifier("ngram_classifier", multi_label=True)
    with pytest.raises(UserError, match="for inputs with one label each, not for several"):
        task.fit(rows, epochs=1, xla=False, verbose=False, **options)


RARE = ["often"] * 9 + ["rare"]
NUMBERS = np.random.default_rng(3).normal(size=(10, 13, 2)).astype("float32")
IMAGES = np.random.default_rng(4).uniform(size=(10, 28, 28, 1)).astype("float32")
NODES = zoo.Graph(
    np.random.default_rng(5).normal(size=(10, 4)).astype("float32"),
    [[*range(10), 0], [*range(10), 1]],
    labels=RARE,
    train=np.ones(10, bool),
).undirected()
OTHER_TASKS = {
    "nodes": (zoo.NodeClassifier, {"dropout": 0.0, "attention_dropout": 0.0, "l2": 0.0}, NODES),
    "series": (zoo.SeriesClassifier, {}, list(zip(NUMBERS, RARE, strict=True))),
    "images": (zoo.ImageClassifier, {"preset": "cnn"}, list(zip(IMAGES, RARE, strict=True))),
}


@pytest.mark.parametrize("name", OTHER_TASKS)
def test_rare_labels_of_other_inputs_count_more(name):
    kind, settings, rows = OTHER_TASKS[name]

    def first_loss(**options):
        task = kind(**settings)
        task.adapt(rows)
        assert task.labels == ["often", "rare"]
        for weight in task.model.trainable_weights:
            weight.assign(np.zeros(weight.shape))
        (bias,) = (each for each in task.model.trainable_weights if each.shape == (2,))
        bias.assign([np.log(3), 0])  # 3/4 and 1/4, whatever the model reads
        fixed = {"epochs": 1, "xla": False, "verbose": False, "learning_rate": 1e-9}
        return task.fit(rows, **fixed, **options).history["loss"][0]

    often, rare = -np.log([3 / 4, 1 / 4])
    assert first_loss() == pytest.approx(0.9 * often + 0.1 * rare, rel=1e-3)
    assert first_loss(class_weight="balanced") == pytest.approx((often + rare) / 2, rel=1e-3)
    focal = 0.9 * often / 16 + 0.1 * rare * 9 / 16
    assert first_loss(loss="focal") == pytest.approx(focal, rel=1e-3)
