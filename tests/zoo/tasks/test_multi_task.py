"""One encoder, several heads: each task is learned, and leaves as a classifier of its own."""

import keras
import numpy as np
import pytest

import zoo
from zoo.data.labelled_batches import BucketedTexts
from zoo.data.sampled_tasks import SampledTasks
from zoo.data.tokenized import TokenizedTexts
from zoo.errors import UserError
from zoo.text import train_tokenizer

FILMS = [("a fine film", "good"), ("a dull film", "bad"), ("fine", "good"), ("dull", "bad")] * 3
SAME = [("a red hat", "a red hat", "yes"), ("a red hat", "a dull tree", "no")] * 5
SIZES = {
    "hidden_dim": 12,
    "num_heads": 2,
    "intermediate_dim": 16,
    "num_layers": 1,
    "max_length": 13,
}


@pytest.fixture(scope="module")
def task():
    task = zoo.MultiTask("bert", "tiny", dropout=0.0, attention_dropout=0.0, **SIZES)
    task.adapt({"films": FILMS, "same": SAME})
    return task


@pytest.fixture(scope="module")
def trained(task, tmp_path_factory):
    """The task after some training, and what that changed."""
    before = {weight.path: keras.ops.convert_to_numpy(weight) for weight in task.model.weights}
    history = task.fit(
        {"films": FILMS, "same": SAME},
        {"films": FILMS, "same": SAME},
        weights={"same": 0.0},
        epochs=8,
        batch_tokens=40,
        learning_rate=0.01,
        folder=tmp_path_factory.mktemp("run"),
        xla=False,
        verbose=False,
    )
    return task, history, before


@pytest.mark.thorough
def test_a_task_of_weight_zero_is_not_learned_and_the_other_is(trained):
    task, history, before = trained
    moved = {
        path.split("/")[0]
        for path, value in before.items()
        if not np.array_equal(value, _weight(task, path))
    }
    assert "films_logits" in moved and "block_0" in moved and "same_logits" not in moved
    scores = task.evaluate({"films": FILMS, "same": SAME})
    assert scores["films_accuracy"] == 1.0
    mean = (1.0 + scores["same_accuracy"]) / 2
    np.testing.assert_allclose(scores["mean_accuracy"], mean)
    np.testing.assert_allclose(history.best_value, mean, rtol=1e-6)
    np.testing.assert_allclose(history.history["val_films_accuracy"][history.best_epoch - 1], 1.0)
    assert history.monitor == "val_mean_accuracy"


def test_the_loss_is_the_sum_of_all_by_their_weights(task):
    """Of a batch, which is of one task, that task's; and of an epoch the mean of all rows."""
    data, weights = {"films": FILMS, "same": SAME}, {"films": 0.25, "same": 1.5}
    batches = SampledTasks(task._parts(data, 40, seed=0)[0], 1.0, seed=0)
    total = count = 0
    for x, labels in batches.batches(0):
        logits = task.model({key: keras.ops.convert_to_tensor(x[key]) for key in x})
        for name, numbers in labels.items():
            log_p = keras.ops.convert_to_numpy(keras.ops.log_softmax(logits[name], axis=-1))
            rows = np.flatnonzero(numbers >= 0)
            loss = -log_p[rows, numbers[rows]].mean() if len(rows) else 0.0
            total += weights[name] * loss * len(numbers)
        count += len(x["token_ids"])
    history = task.fit(
        data, weights=weights, epochs=1, batch_tokens=40, learning_rate=1e-12, seed=0, xla=False,
        verbose=False,
    )  # fmt: skip
    np.testing.assert_allclose(history.history["loss"], [total / count], rtol=1e-5)


def _weight(task, path):
    return keras.ops.convert_to_numpy(
        next(weight for weight in task.model.weights if weight.path == path)
    )


def test_a_classifier_has_the_weights_of_its_head(trained):
    task, *_ = trained
    classifier = task.classifier("same")
    pairs = [("a red hat", "a dull tree"), ("fine", "a hat")]
    ids = keras.ops.convert_to_tensor(classifier.codec.encode(*zip(*pairs, strict=True)).numpy())
    logits = task.model(task.model.inputs_for(ids))["same"]
    expected = keras.ops.convert_to_numpy(keras.ops.softmax(logits, axis=-1))
    np.testing.assert_allclose(classifier.predict_proba(pairs), expected, rtol=1e-6, atol=1e-6)
    assert classifier.labels == ["no", "yes"] and classifier.settings["pairs"]
    assert task.predict("same", pairs) == classifier.predict(pairs)


def test_it_is_saved_and_loaded(trained, tmp_path):
    task, *_ = trained
    task.save(tmp_path)
    again = zoo.load(tmp_path)
    assert (again.names, again.settings["pairs"]) == (
        ["films", "same"],
        {"films": False, "same": True},
    )
    texts = ["a fine hat", "dull"]
    np.testing.assert_array_equal(
        again.classifier("films").predict_proba(texts),
        task.classifier("films").predict_proba(texts),
    )
    classifier = task.classifier("films")
    classifier.save(tmp_path / "films")
    assert zoo.load(tmp_path / "films").predict(texts) == classifier.predict(texts)


def parts():
    """5 batches of one task, 2 of another; every text is one of a kind."""
    tokenizer = train_tokenizer("characters", ["abcdefghij"], 20)
    texts = [chr(ord("a") + i) for i in range(10)]
    whole = TokenizedTexts(texts, tokenizer, 5)
    few = TokenizedTexts(texts[:4], tokenizer, 5)
    return {
        "many": BucketedTexts(whole, range(10), 6, max_buckets=1, seed=3),
        "few": BucketedTexts(few, range(4), 6, max_buckets=1, seed=3),
    }


def seen(sampled, epoch):
    """Of each batch of an epoch its task, and the labels in it."""
    found = []
    for x, labels in sampled.batches(epoch):
        (name,) = [name for name, numbers in labels.items() if (numbers >= 0).any()]
        others = [numbers for each, numbers in labels.items() if each != name]
        assert all((numbers == -1).all() for numbers in others)
        assert len(x["token_ids"]) == len(labels[name])
        found.append((name, sorted(labels[name].tolist())))
    return found


@pytest.mark.parametrize(
    ("exponent", "counts"),
    # 7 batches in all; 0.5: sqrt(5) and sqrt(2) of their sum.
    [(1.0, {"many": 5, "few": 2}), (0.5, {"many": 4, "few": 3}), (0.0, {"many": 4, "few": 4})],
)
def test_each_task_has_its_share(exponent, counts):
    sampled = SampledTasks(parts(), exponent, seed=5)
    for epoch in (0, 1):
        names = [name for name, _ in seen(sampled, epoch)]
        assert {name: names.count(name) for name in counts} == counts
    assert sampled.steps_per_epoch == len(names) == sum(counts.values())
    assert sampled.steps(shuffle=False) == len(list(sampled.batches(shuffle=False))) == 7


def test_no_text_is_left_out():
    """Taken in proportion, an epoch has every text once; else a task goes on where it was."""
    labels = [label for name, batch in seen(SampledTasks(parts()), 3) for label in batch]
    assert sorted(labels) == sorted([*range(10), *range(4)])
    even = SampledTasks(parts(), exponent=0.0)
    many = [label for epoch in range(5) for name, batch in seen(even, epoch) for label in batch
            if name == "many"]  # fmt: skip
    assert sorted(many) == sorted([*range(10)] * 4)
    assert seen(even, 2) == seen(SampledTasks(parts(), exponent=0.0), 2) != seen(even, 3)


def test_mistakes_are_named(task):
    with pytest.raises(UserError, match="there is no task 'film'; choose from films, same"):
        task.fit({"film": FILMS})
    with pytest.raises(UserError, match="there is no task 'x'; choose from films, same"):
        task.fit({"films": FILMS}, weights={"x": 1.0})
    with pytest.raises(UserError, match="sampling must be from 0 to 1, got 2"):
        task.fit({"films": FILMS}, sampling=2)
    with pytest.raises(UserError, match="rows in memory has pairs; this task is for single texts"):
        task.fit({"films": SAME})
    for nothing in (zoo.MultiTask().adapt, task.fit, task.evaluate):
        with pytest.raises(UserError, match="^data must have a task at least, as {name: rows}$"):
            nothing({})
    with pytest.raises(UserError, match="^validation_data must have a task at least"):
        task.fit({"films": FILMS}, {})
    with pytest.raises(UserError, match="has one label only, 'good': nothing to tell"):
        zoo.MultiTask().adapt({"same": SAME, "films": [("a", "good"), ("b", "good")]})
    with pytest.raises(UserError, match=r"export task.classifier\('films'\)"):
        task.signatures(strings=True)
    with pytest.raises(UserError, match="call adapt"):
        _ = zoo.MultiTask().names
