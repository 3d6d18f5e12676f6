"""The classifier from labelled texts to labels, and from a folder to the same task."""

import numpy as np
import pytest
import tensorflow as tf

import export
import zoo
from zoo.demo.artifacts import ask_litert, ask_saved_model
from zoo.errors import UserError
from zoo.tasks.scores import score_labels
from zoo.text.special_tokens import END, START

SIDES = {"good": ["fine", "great", "lovely"], "bad": ["dull", "poor", "weak"], "odd": ["strange"]}


def make_rows(count=60, seed=0):
    """A film is what the word says that stands somewhere in a row of words that say nothing."""
    rows, random = [], np.random.default_rng(seed)
    for label in random.choice(list(SIDES), count):
        words = list(random.choice(["the", "film", "was", "a", "plot"], random.integers(2, 7)))
        words.insert(random.integers(len(words)), random.choice(SIDES[label]))
        rows.append((" ".join(words), str(label)))
    return rows


ROWS = make_rows()
TEXTS, LABELS = zip(*ROWS, strict=True)


SIZES = {
    "rnn_classifier": {"embedding_dim": 16, "units": 16, "num_layers": 1},
    "bert": {
        "hidden_dim": 16,
        "num_heads": 2,
        "num_layers": 1,
        "intermediate_dim": 16,
        "attention_dropout": 0.0,
    },
}


def make_task(model="rnn_classifier", **options):
    settings = {**SIZES[model], "dropout": 0.0, "max_length": 12, **options}
    return zoo.TextClassifier(model, "tiny", **settings)


def fit(task, rows, epochs=10, **options):
    settings = {"learning_rate": 0.02, "batch_tokens": 64, "xla": False, "verbose": False}
    return task.fit(rows, epochs=epochs, **{**settings, **options})


@pytest.fixture(
    scope="module", params=["rnn_classifier", pytest.param("bert", marks=pytest.mark.thorough)]
)
def run(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "films"
    task = make_task(request.param)
    task.adapt(ROWS)
    how = {"epochs": 10, "learning_rate": 0.02}
    if request.param == "bert":  # which begins with positions that all mean something else
        how = {"epochs": 30, "learning_rate": 0.005}
    return task, fit(task, ROWS, validation_data=ROWS[:20], folder=folder, **how), folder


def test_it_learns_words_wherever_they_stand(run):
    task, history, _ = run
    assert history.monitor == "val_accuracy" and history.best_value == 1.0
    assert (
        task.evaluate(make_rows(40, seed=1)) == {"accuracy": 1.0, "macro_f1": 1.0} == task.metrics
    )
    assert task.labels == ["bad", "good", "odd"]


def test_probabilities_are_those_of_the_model_one_by_one(run):
    task, _, _ = run
    found = task.predict_proba(list(TEXTS[:9]), batch_size=4)
    np.testing.assert_allclose(found.sum(1), 1, rtol=1e-5)
    for text, row in zip(TEXTS, found, strict=False):
        np.testing.assert_allclose(task.predict_proba([text])[0], row, atol=1e-5)
    assert task.predict(list(TEXTS[:9])) == [task.labels[i] for i in found.argmax(1)]
    assert task.predict([]) == []


def test_a_saved_task_is_the_same_task(run, tmp_path):
    task, _, folder = run
    task.save(tmp_path)
    for again in (zoo.load(tmp_path), zoo.load(folder)):
        assert isinstance(again, zoo.TextClassifier) and again.labels == task.labels
        np.testing.assert_array_equal(again.predict_proba(TEXTS), task.predict_proba(TEXTS))


@pytest.mark.thorough
def test_saved_model_and_litert_give_the_labels_of_the_task(run, tmp_path):
    task, _, _ = run
    texts = [*TEXTS[:5], ""]
    if task.settings["model"] == "bert":  # one is enough of what does not know the model
        export.saved_model(task, tmp_path / "served")
        assert ask_saved_model(tmp_path / "served" / "1", texts) == task.predict(texts)
        served = tf.saved_model.load(str(tmp_path / "served" / "1")).signatures["serving_default"]
        scores = served(text=tf.constant(texts))["scores"]
        np.testing.assert_allclose(scores, task.predict_proba(texts), atol=1e-5)
    export.litert(task, tmp_path / "films.tflite", strings=True)
    assert ask_litert(tmp_path / "films.tflite", texts) == task.predict(texts)


@pytest.mark.thorough
def test_pairs_are_told_apart_by_both_texts(tmp_path):
    words = ["one", "two", "three"]
    rows = [(a, b, "same" if a == b else "other") for a in words for b in words] * 6
    task = make_task("bert", vocabulary_size=40, num_layers=2)
    task.adapt(rows)
    fit(task, rows, epochs=30, learning_rate=0.005)
    assert task.codec.encode(["one"], ["two"]).numpy()[0, [0, 2, 4]].tolist() == [START, END, END]
    assert task.evaluate(rows)["accuracy"] > 0.9
    data = tmp_path / "pairs.tsv"
    data.write_text("".join("\t".join(row) + "\n" for row in rows))
    assert task.predict([("one", "one"), ("one", "two")]) == ["same", "other"]
    export.saved_model(task, tmp_path / "served")
    loaded = tf.saved_model.load(str(tmp_path / "served" / "1"))
    both = {"text": tf.constant(["one", "one"]), "second": tf.constant(["one", "two"])}
    assert loaded.signatures["serving_default"](**both)["text"].numpy().tolist() == [
        b"same", b"other",
    ]  # fmt: skip
    report = export.litert(task, tmp_path / "pairs.tflite", quantize="int8", data=data)
    for row in report.files:
        assert row["metrics"]["accuracy"] == pytest.approx(task.evaluate(data)["accuracy"], abs=0.1)
    with pytest.raises(UserError, match="LiteRT cannot join two texts"):
        export.litert(task, tmp_path / "pairs.tflite", strings=True)
    with pytest.raises(UserError, match="texts has single texts; this task is for pairs"):
        task.predict(["one"])
    with pytest.raises(UserError, match="has single texts; this task is for pairs"):
        fit(task, [("one", "same")])


def test_mistakes_are_told_in_a_line():
    with pytest.raises(UserError, match="one label only, 'x': nothing to tell"):
        make_task().adapt([("a", "x"), ("b", "x")])
    for labels in ([], ["x"]):
        with pytest.raises(UserError, match="labels must name two at least, got "):
            make_task(labels=labels).adapt([("a", "x"), ("b", "y")])
    task = make_task(labels=["x", "y"])
    task.adapt([("a", "x"), ("b", "y")])
    with pytest.raises(UserError, match="has the label 'z'; this task knows x, y"):
        fit(task, [("a", "z")])
    with pytest.raises(UserError, match="unknown model for text-classifier 'gpt'"):
        zoo.TextClassifier("gpt")
    with pytest.raises(UserError, match="max_length must be at least 2, got 1"):
        make_task(max_length=1)
    with pytest.raises(ValueError, match="texts must be a list"):
        task.predict("a")


def test_pairs_are_scored_by_both_texts():
    task = make_task("bert")
    task.adapt([("a", "b", "x"), ("b", "b", "y")])
    given = []
    scores = task.score_predictions(
        lambda *columns: given.extend(columns) or ["x", "x"], [("a", "b", "x"), ("c", "d", "y")]
    )
    assert given == [["a", "c"], ["b", "d"]] and scores["accuracy"] == 0.5
    with pytest.raises(UserError, match="has single texts; this task is for pairs"):
        task.score_predictions(lambda texts: ["x"] * len(texts), [("a", "x")])


def test_scores_against_a_count_by_hand():
    """Of a: 1 right, 1 missed, 0 too many: F1 2/3; of b: 2 right, 1 too many: 4/5; of c: 0."""
    scores = score_labels(["a", "a", "b", "b", "c"], ["a", "b", "b", "b", "a"])
    assert scores["accuracy"] == 0.6
    assert scores["macro_f1"] == pytest.approx((2 / 4 + 4 / 5 + 0) / 3)
