"""Tasks in scikit-learn's cross-validation, searches and pipelines."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline

import zoo
from zoo.errors import UserError
from zoo.scikit_learn import Classifier, Embedder, Regressor

TEXTS = ["a fine film", "a dull film", "fine art", "dull art"] * 6
FIT = {"epochs": 20, "learning_rate": 1.0, "seed": 0, "xla": False}


@pytest.mark.parametrize(
    "pair",
    [(1, 0), (True, False), ("x y", "a"), (2.5, 7.0), (10, 9)],
    ids=str,
)
def test_answers_are_the_labels_that_were_given(pair):
    likes = np.array([*pair] * 12)
    model = Classifier(fit_options=FIT).fit(TEXTS, likes)
    np.testing.assert_array_equal(model.classes_, sorted(pair))
    answers = model.predict(TEXTS)
    assert answers.dtype == likes.dtype
    np.testing.assert_array_equal(answers, likes)
    probabilities = model.predict_proba(TEXTS)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], likes)


def test_cross_validation_fits_anew_each_time():
    likes = np.array([1, 0] * 12)
    model = Classifier(fit_options=FIT)
    assert cross_val_score(model, TEXTS, likes, cv=3).tolist() == [1, 1, 1]
    assert not hasattr(model, "task_")
    by_chance = np.random.default_rng(0).permutation(likes)
    held_out = cross_val_predict(model, [f"word{i}" for i in range(24)], by_chance, cv=4)
    assert np.mean(held_out == by_chance) < 0.9  # of texts without known words nothing is known


def test_a_search_finds_the_better_options():
    worse, better = {**FIT, "epochs": 1, "learning_rate": 1e-9}, FIT
    texts = [f"{text} {'day' * (i % 3)}" for i, text in enumerate(TEXTS)]
    likes = [1, 0, 1, 0, 1, 1, 0, 0] * 3
    search = GridSearchCV(
        Regressor(), {"fit_options": [worse, {**better, "learning_rate": 0.1}]}, cv=2
    )
    search.fit(texts, [float("fine" in text) for text in texts])
    assert search.best_params_["fit_options"]["learning_rate"] == 0.1
    again = clone(search.best_estimator_)
    assert again.get_params() == search.best_estimator_.get_params()
    with pytest.raises(NotFittedError):
        again.predict(texts)
    assert len(likes) == len(texts)


@pytest.mark.parametrize("form", ["tuples", "array", "table"])
def test_pairs_are_rows_of_two_texts(form):
    pairs = [("a b", "a b"), ("a b", "c d"), ("c d", "c d"), ("c d", "a b")] * 6
    if form == "array":
        pairs = np.array(pairs)
    elif form == "table":
        left, right = zip(*pairs, strict=True)
        pairs = pa.table({"left": left, "right": right})
    model = Classifier(task_options={"preset": None}, fit_options={**FIT, "epochs": 2})
    model.fit(pairs, [1, 0] * 12)
    assert model.task_.settings.pairs is True and model.predict(pairs).shape == (24,)


def test_series_and_images_are_arrays():
    steps = np.arange(29)
    series = np.array([np.sin((1 + i % 2) * steps + i) for i in range(24)])
    options = {"epochs": 20, "learning_rate": 0.01, "seed": 0, "xla": False}
    small = {"hidden_dim": 8, "num_layers": 2}
    model = Classifier("series-classifier", small, options)
    assert cross_val_score(model, series, np.arange(24) % 2, cv=2).mean() > 0.9
    bars = np.zeros((16, 13, 13), np.uint8)
    for number in range(16):
        bars[number, 12 - 2 * (number % 4) :, 4:9] = 255
    heights = 10.0 * (np.arange(16) % 4)
    layers = {"layers": [[4, 3], [4, 3]]}
    model = Regressor("image-regressor", layers, {**options, "epochs": 30})
    assert model.fit(bars, heights).score(bars, heights) > 0.5


def test_a_run_lends_its_options(tmp_path):
    rows = [(text, "yn"[i % 2]) for i, text in enumerate(TEXTS)]
    task = zoo.TextClassifier(tokenizer="characters", max_length=37)
    task.fit(rows, verbose=False, **(FIT | {"clipnorm": 0.5}))
    task.save(tmp_path)
    model = Classifier.like(zoo.load(tmp_path))
    assert model.task_options["tokenizer"] == "characters"
    assert model.task_options["max_length"] == 37 and "labels" not in model.task_options
    assert model.fit_options["clipnorm"] == 0.5 and model.fit_options["epochs"] == 20
    assert cross_val_score(model, TEXTS, [7, 3] * 12, cv=2).tolist() == [1, 1]


def test_a_checkpoint_is_not_left_out_in_silence():
    task = zoo.TextClassifier("bert", "tiny")
    task.data = {"checkpoint/model.safetensors": "0a"}
    with pytest.raises(UserError, match="began with a checkpoint: give it, too, as `pretrained`"):
        Classifier.like(task)
    assert Classifier.like(task, "encoder/").pretrained == "encoder/"


def test_an_embedder_is_the_first_step_of_a_pipeline(tmp_path):
    pairs = [("fine film", "good film"), ("dull art", "bad art"), ("red hat", "blue hat")] * 4
    task = zoo.TextEmbedder("bert", "tiny", max_length=8, hidden_dim=8, intermediate_dim=8)
    task.fit(pairs, epochs=1, verbose=False, xla=False)
    task.save(tmp_path / "vectors")
    expected = np.stack(task.predict(TEXTS))
    model = make_pipeline(Embedder(tmp_path / "vectors"), LogisticRegression())
    model.fit(TEXTS, [1, 0] * 12)
    np.testing.assert_allclose(model[0].transform(np.array(TEXTS)), expected, atol=1e-6)
    assert set(model.predict(TEXTS)) <= {0, 1}


@pytest.mark.parametrize(
    ("make", "inputs", "answers", "message"),
    [
        (lambda: Classifier("text-regressor"), ["a", "b"], [0, 1], "text-regressor is no task of"),
        (lambda: Regressor("text-to-text"), ["a", "b"], [0, 1], "text-to-text is no task of"),
        (lambda: Classifier("classify"), ["a", "b"], [0, 1], "classify"),
        (lambda: Classifier(), ["a", "b"], [[0, 1], [1, 0]], "expected one answer for each input"),
        (lambda: Classifier(), ["a", "b"], [0, 1, 1], "got 2 inputs and 3 answers"),
        (lambda: Classifier(), ["a", "b", "c"], [" x", "x", "y"], "read alike"),
        (lambda: Classifier(task_options={"colour": 3}), ["a", "b"], [0, 1], "colour"),
        (lambda: Regressor(), ["a", "b"], ["one", "two"], "could not convert"),
    ],
)
def test_what_cannot_be_fitted(make, inputs, answers, message):
    with pytest.raises((UserError, ValueError), match=message):
        make().fit(inputs, answers)
