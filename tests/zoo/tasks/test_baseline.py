"""The simple models that classifiers are compared with."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

import zoo
from zoo.errors import UserError
from zoo.tasks.baselines import texts as module
from zoo.tasks.baselines.saved_arrays import FILE
from zoo.tasks.baselines.texts import Baseline

WORDS = {"good": ["fine", "great"], "bad": ["dull", "poor"], "odd": ["weird", "strange"]}


def rows(count, labels, seed=0):
    random = np.random.default_rng(seed)
    actual = []
    for label in random.choice(
        labels, count, p=[0.6, *[0.4 / (len(labels) - 1)] * (len(labels) - 1)]
    ):
        words = random.choice(["the", "film", "was", "plot", *sum(WORDS.values(), [])], 5)
        actual.append((" ".join([*words, random.choice(WORDS[label])]), str(label)))
    return actual


@pytest.mark.parametrize("labels", [["good", "bad"], ["good", "bad", "odd"]])
def test_scores_are_those_of_scikit_learn(labels, tmp_path):
    texts, wanted = zip(*rows(97, labels), strict=True)
    new, expected = zip(*rows(61, labels, seed=1), strict=True)
    features = TfidfVectorizer(sublinear_tf=True)
    model = LogisticRegression(C=10, max_iter=1000).fit(features.fit_transform(texts), wanted)
    accuracy = model.score(features.transform(new), expected)
    assert 0.4 < accuracy < 1
    grams = TfidfVectorizer(sublinear_tf=True, analyzer="char_wb", ngram_range=(2, 4))
    model = LogisticRegression(C=10, max_iter=1000).fit(grams.fit_transform(texts), wanted)
    of_characters = model.score(grams.transform(new), expected)
    baseline = Baseline.fit(texts, wanted)
    predictions = baseline.predict(new)
    assert accuracies(predictions, expected) == {
        "majority": pytest.approx(expected.count("good") / 61),
        "tfidf": pytest.approx(accuracy),
        "character_tfidf": pytest.approx(of_characters),
    }
    baseline.save(tmp_path)
    assert Baseline.load(tmp_path).predict(new) == predictions


def accuracies(predictions, expected):
    return {name: np.mean(np.array(own) == expected) for name, own in predictions.items()}


def test_spellings_are_told_apart_by_characters():
    words = [(stem + ending, label) for stem in ("red", "hut", "sing", "run", "dim", "pat")
             for ending, label in (("ness", "noun"), ("ing", "verb"))]  # fmt: skip
    predictions = Baseline.fit(*zip(*words, strict=True)).predict(["goldness", "folding"])
    scores = accuracies(predictions, ["noun", "verb"])
    assert scores["tfidf"] == 0.5 and scores["character_tfidf"] == 1.0


def test_a_file_of_an_earlier_version_has_no_characters(tmp_path):
    baseline = Baseline.fit(*zip(*rows(31, ["good", "bad"]), strict=True))
    replace(baseline, characters=None).save(tmp_path)
    assert Baseline.load(tmp_path).characters is None


def test_large_data_are_sampled(monkeypatch):
    monkeypatch.setattr(module, "ROWS", 7)
    monkeypatch.setattr(module, "CHARACTERS", 60)
    baseline = Baseline.fit(["a few words"] * 50 + ["others"] * 50, ["a"] * 50 + ["b"] * 50)
    assert baseline.predict(["few", "others"])["tfidf"] == ["a", "b"]


@pytest.mark.parametrize(
    ("texts", "labels"), [(["", " "], ["x", "y"]), (["some words"] * 2, ["x", "x"])]
)
def test_without_words_or_labels_there_is_the_majority_only(texts, labels):
    assert list(Baseline.fit(texts, labels).predict(texts)) == ["majority"]


def test_a_damaged_or_hostile_file_is_refused(tmp_path):
    Baseline.fit(*zip(*rows(31, ["good", "bad"]), strict=True)).save(tmp_path)
    with np.load(tmp_path / FILE) as file:
        arrays = dict(file)
    for name, content in [("words", arrays["words"][1:]), ("majority", np.array([{}], object))]:
        np.savez(tmp_path / FILE, **{**arrays, name: content}, allow_pickle=True)
        with pytest.raises(UserError, match=f"{FILE} is damaged"):
            Baseline.load(tmp_path)
    (tmp_path / FILE).write_bytes(b"PK")
    with pytest.raises(UserError, match="delete it, or train again"):
        Baseline.load(tmp_path)
    (tmp_path / FILE).unlink()
    assert Baseline.load(tmp_path) is None


@pytest.mark.thorough
def test_evaluation_shows_them_beside_the_scores(tmp_path):
    task = zoo.TextClassifier(num_buckets=11, max_length=13)
    train, held_out = rows(41, ["good", "bad"]), rows(23, ["good", "bad"], seed=1)
    task.adapt(train)
    assert "majority_accuracy" not in task.evaluate(held_out)
    folder = tmp_path / "run"
    task.fit(train, held_out, epochs=1, xla=False, verbose=False, folder=folder)
    scores = task.evaluate(held_out)
    names = ("", "majority_", "tfidf_", "character_tfidf_")
    assert {name + metric for name in names for metric in ("accuracy", "macro_f1")} == set(scores)
    assert zoo.load(folder).evaluate(held_out) == scores
    log = (folder / "log.txt").read_text()
    shown = ", ".join(f"{name} {scores[name]:.4g}" for name in scores if "majority" in name)
    assert f"baselines on the validation data: {shown}, tfidf_accuracy" in log
    task.save(tmp_path / "saved")
    assert json.loads((tmp_path / "saved" / "metrics.json").read_text()) == scores
