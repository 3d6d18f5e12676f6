"""One encoder, several heads: weights of losses, validation, and each task as a classifier."""

import json

import keras
import numpy as np
import pytest
import tensorflow as tf

import zoo
from tests.zoo.tasks.stand_in import scramble
from zoo.errors import UserError
from zoo.preprocessing.model_inputs import encoder_inputs
from zoo.tasks.provenance import digests

FILMS = [("a fine film", "good"), ("a dull film", "bad"), ("fine", "good"), ("dull", "bad")] * 3
SAME = [("a red hat", "a red hat", "yes"), ("a red hat", "a dull tree", "no")] * 5
DATA = {"films": FILMS, "same": SAME}
SIZES = {
    "hidden_dim": 12,
    "num_heads": 2,
    "intermediate_dim": 16,
    "num_layers": 1,
    "max_length": 13,
    "dropout": 0.0,
    "attention_dropout": 0.0,
}
FIT = {"batch_tokens": 40, "xla": False, "verbose": False}


@pytest.fixture(scope="module")
def task():
    task = zoo.MultiTask("bert", "tiny", **SIZES)
    task.adapt(DATA)
    scramble(task.model)
    return task


def log_p(task, inputs, name):
    logits = task.model(inputs)[name]
    return keras.ops.convert_to_numpy(keras.ops.log_softmax(logits, axis=-1))


@pytest.mark.long
def test_a_task_of_weight_zero_is_not_learned_and_the_other_is():
    task = zoo.MultiTask("bert", "tiny", **SIZES)
    task.adapt(DATA)
    before = {weight.path: np.array(weight) for weight in task.model.weights}
    history = task.fit(DATA, DATA, weights={"same": 0.0}, epochs=13, learning_rate=0.01, **FIT)
    after = {weight.path: np.array(weight) for weight in task.model.weights}
    moved = {path.split("/")[0] for path in before if (before[path] != after[path]).any()}
    assert "films_logits" in moved and "block_0" in moved and "same_logits" not in moved
    assert history.history["val_films_accuracy"][-1] == 1.0
    assert history.monitor == "val_mean_accuracy"
    np.testing.assert_allclose(history.best_value, task.evaluate(DATA)["mean_accuracy"], rtol=1e-6)


@pytest.mark.thorough
def test_the_loss_is_the_sum_of_all_by_their_weights(task):
    """Of a batch, which is of one task, that task's; and of an epoch the mean of all rows."""
    weights, total, count = {"films": 0.25, "same": 1.5}, 0.0, 0
    batches = task.batches(task.read(DATA), task.Training(batch_tokens=40, seed=0))
    for x, labels in batches.dataset():
        for name, numbers in labels.items():
            rows = np.flatnonzero(numbers >= 0)
            actual = log_p(task, x, name)[rows, numbers.numpy()[rows]]
            total -= weights[name] * (actual.mean() if len(rows) else 0.0) * len(numbers)
        count += len(numbers)
    before = task.model.get_weights()
    history = task.fit(DATA, weights=weights, epochs=1, learning_rate=1e-12, seed=0, **FIT)
    task.model.set_weights(before)
    np.testing.assert_allclose(history.history["loss"], [total / count], rtol=1e-5)


@pytest.mark.thorough
def test_it_is_validated_by_what_evaluate_says(task):
    batches = task.batches(task.read(DATA), task.Training(batch_tokens=40), held_out=True)
    actual, scores = (
        task.parts.recipe.validation(batches, task.fitted)(task.model, lambda: None),
        task.evaluate(DATA),
    )
    names = ("films_accuracy", "same_accuracy", "mean_accuracy")
    assert actual == pytest.approx({f"val_{name}": scores[name] for name in names})
    mean = (scores["films_accuracy"] + scores["same_accuracy"]) / 2
    assert scores["mean_accuracy"] == pytest.approx(mean) and 0 < mean < 1


@pytest.mark.thorough
def test_a_classifier_has_the_weights_of_its_head(task, tmp_path):
    classifier = task.single_task("same")
    pairs = [("a red hat", "a dull tree"), ("fine", "a hat")]
    firsts, seconds = map(list, zip(*pairs, strict=True))
    ids = classifier.preprocessor(text=firsts, second=seconds)["token_ids"]
    expected = np.exp(log_p(task, encoder_inputs(ids), "same"))
    np.testing.assert_allclose(classifier.predict_proba(pairs), expected, rtol=1e-5, atol=1e-6)
    assert classifier.labels == ["no", "yes"] and classifier.settings.pairs is True
    given = {"same": pairs, "films": ["fine", "a dull film"]}
    films = task.single_task("films")
    actual = {"same": classifier.predict(pairs), "films": films.predict(given["films"])}
    assert task.predict(given) == actual
    assert films.settings.pairs is False and films.labels == ["bad", "good"]
    # It is a task like any other.
    classifier.save(tmp_path)
    again = zoo.load(tmp_path)
    assert type(again) is zoo.TextClassifier
    np.testing.assert_array_equal(again.predict_proba(pairs), classifier.predict_proba(pairs))
    assert set(classifier.export_parts().probes["serving_default"][0]) == {"text", "second"}


def test_the_model_answers_for_every_task(task):
    ids = np.array([[2, 5, 6, 3], [2, 7, 3, 0]], "int32")
    for name in ("films", "same"):
        outputs = task.program(f"task/{name}")({"token_ids": ids})
        expected = np.exp(log_p(task, encoder_inputs(tf.constant(ids)), name))
        np.testing.assert_allclose(outputs["scores"], expected, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(outputs["class_id"], expected.argmax(-1))


def test_a_report_shows_rows_of_every_task(task):
    rows = task.preview(DATA, 4)
    assert [row.source for row in rows] == [
        "films: a fine film", "films: a dull film",
        "same: a red hat | a red hat", "same: a red hat | a dull tree",
    ]  # fmt: skip
    assert [row.reference for row in rows] == ["good", "bad", "yes", "no"]
    for row in rows:
        name, text = row.input
        assert task.predict({name: [text]}) == {name: [row.prediction]}
        (same,), (other,) = task.attention(row.input), task.single_task(name).attention(text)
        np.testing.assert_allclose(same.weights, other.weights, atol=1e-6)


def test_training_data_of_a_task_is_named(task, tmp_path, caplog, monkeypatch):
    files = {name: tmp_path / f"{name}.tsv" for name in DATA}
    for name, rows in DATA.items():
        files[name].write_text("".join("\t".join(row) + "\n" for row in rows))
    monkeypatch.setattr(task, "data", digests({"same": files["same"]}))
    task.evaluate(files)
    paths = f"{files['films']}, {files['same']}"
    assert f"{paths}: 1 of 2 files are training data of this model" in caplog.text


def test_some_tasks_may_be_left_out(task):
    """Of what is scored, and of what is trained on."""
    scores = task.compare({"same": SAME}).model
    assert set(scores) == {"same_accuracy", "same_macro_f1", "mean_accuracy"}
    batches = task.batches(task.read({"films": FILMS}), task.Training(batch_tokens=40))
    assert {name for _, labels in batches.dataset() for name in labels} == {"films"}


def test_each_task_has_its_turns(task):
    """As often as it has batches, or all alike."""
    for sampling, turns in ((1.0, {"films": 3, "same": 4}), (0.0, {"films": 4, "same": 3})):
        training = task.Training(batch_tokens=29, sampling=sampling)
        assert task.batches(task.read(DATA), training).counts() == turns


def test_mistakes_are_named(task):
    with pytest.raises(
        UserError, match="there is no task 'film'; did you mean films.* Choose from films, same"
    ):
        task.fit({"film": FILMS})
    with pytest.raises(UserError, match="there is no task 'x'; choose from films, same"):
        task.fit({"films": FILMS}, weights={"x": 1.0})
    with pytest.raises(UserError, match="sampling must be from 0 to 1, got 2"):
        task.fit({"films": FILMS}, sampling=2)
    with pytest.raises(UserError, match="data in memory: expected single texts, found pairs"):
        task.fit({"films": SAME})
    for act in (zoo.MultiTask().adapt, task.fit, task.evaluate, lambda x: task.fit(DATA, x)):
        for nothing in ({}, FILMS):
            with pytest.raises(UserError, match="must name at least one task, as {name: rows}"):
                act(nothing)
    with pytest.raises(UserError, match="must not contain a slash, got 'films/new'"):
        zoo.MultiTask().adapt({"films/new": FILMS})
    with pytest.raises(UserError, match="has only one label, 'good'; classification needs"):
        zoo.MultiTask().adapt({"same": SAME, "films": [("a", "good"), ("b", "good")]})
    with pytest.raises(UserError, match=r"export one task at a time: task.single_task\('films'\)"):
        task.export_parts("strings")
    with pytest.raises(UserError, match="multi-task has no option 'top'$"):
        task.predict({"films": ["fine"]}, top=3)
    with pytest.raises(UserError, match="there is no task 'x'; choose from films, same"):
        task.predict({"x": []})
    with pytest.raises(UserError, match="texts: expected pairs, found single texts"):
        task.predict({"same": ["fine"]})
    for act in (
        lambda x: x.names,
        lambda x: x.kind("films"),
        lambda x: x.export_parts(),
    ):
        with pytest.raises(UserError, match="call adapt"):
            act(zoo.MultiTask())


def test_a_run_of_before_there_were_kinds_loads(task, tmp_path):
    """Its settings have labels and pairs alone, and all tasks are classifications."""
    task.save(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    for name in ("kinds", "task_options", "learn_weights"):
        del config["settings"][name]
    (tmp_path / "config.json").write_text(json.dumps(config))
    again = zoo.load(tmp_path, check_digests=False)
    assert again.names == ["films", "same"] and again.kind("same") == "label"
    pairs = [("a red hat", "a dull tree")]
    expected = task.single_task("same").predict_proba(pairs)
    np.testing.assert_array_equal(again.single_task("same").predict_proba(pairs), expected)
