"""Classifiers of texts with several labels."""

import json

import numpy as np
import pytest

import zoo
from tests.scores import score_label_sets
from zoo.data.readers.label_sets import labels_of, read_label_sets
from zoo.errors import DataError, UserError
from zoo.tasks.baselines.label_sets import WORDS, LabelSetBaseline

TOPICS = {"food": ["bread", "soup"], "music": ["song", "choir"], "sport": ["ball", "goal"]}
HOW = {"xla": False, "verbose": False}


def rows(count=120, seed=0):
    random, actual = np.random.default_rng(seed), []
    for _ in range(count):
        own = [topic for topic in TOPICS if random.random() < 0.4]
        words = [random.choice(TOPICS[topic]) for topic in own]
        words += list(random.choice(["the", "a", "of"], 3))
        random.shuffle(words)
        actual.append((" ".join(words), own))
    return actual


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    made = zoo.TextClassifier(num_buckets=101, multi_label=True)
    made.fit(rows(), rows(seed=1), epochs=8, folder=tmp_path_factory.mktemp("run") / "run", **HOW)
    return made


def test_each_text_has_any_number_of_labels(task):
    assert task.labels == ["food", "music", "sport"]
    texts = ["the ball of bread", "a song", "of the"]
    assert task.predict(texts) == [["food", "sport"], ["music"], []]
    scores = task.predict_proba(texts)
    assert scores.shape == (3, 3)
    assert scores[0].sum() > 1.5 and scores[2].max() < 0.5  # independent of each other
    actual = task.evaluate(rows(seed=2))
    assert actual["micro_f1"] > 0.95 and actual["macro_f1"] > 0.95 > actual["frequent_micro_f1"]
    assert actual["food_f1"] > 0.9


def test_a_tuned_threshold_is_kept(task, tmp_path):
    tuned = task.scaling.threshold
    assert tuned is not None and task.head.threshold == tuned
    again = zoo.load(task.folder)
    assert again.head.threshold == tuned
    assert again.predict_proba(["ball"]).tolist() == task.predict_proba(["ball"]).tolist()
    path = task.folder / "calibration.json"
    assert json.loads(path.read_text())["threshold"] == tuned


def test_a_given_threshold_is_not_tuned():
    made = zoo.TextClassifier(num_buckets=101, multi_label=True, threshold=0.9)
    made.fit(rows(), 0.2, epochs=1, **HOW)
    assert made.scaling.threshold is None and made.head.threshold == 0.9
    scores = made.predict_proba(["the ball of bread"])[0]
    expected = [label for label, score in zip(made.labels, scores, strict=True) if score >= 0.9]
    assert made.predict(["the ball of bread"]) == [expected]


FORMS = {
    "a.csv": ("text,labels\nx,a;b\ny,\nz,b\n", {"label_separator": ";"}),
    "b.csv": ("text,a,b\nx,1,1\ny,0,0\nz,0,1\n", {"label_column": "a,b"}),
    "c.jsonl": (
        '{"text": "x", "labels": ["a", "b"]}\n{"text": "y", "labels": []}\n'
        '{"text": "z", "labels": ["b"]}\n',
        {},
    ),
    "d.tsv": ("text\tlabels\nx\ta | b\ny\t\nz\tb\n", {}),
    "words.csv": ("text,a,b\nx,yes,Y\ny,no,n\nz,No,YES\n", {"label_column": "a,b"}),
    "pandas.csv": ("text,a,b\nx,True,True\ny,False,False\nz,False,True\n", {"label_column": "a,b"}),
    "list.csv": ("text,labels\nx,\"['a', 'b']\"\ny,[]\nz,['b']\n", {}),
    "array.csv": ("text,labels\nx,['a' 'b']\ny,[]\nz,['b']\n", {"label_separator": ","}),
}


@pytest.mark.parametrize("name", FORMS)
def test_labels_are_read_from_a_column_or_from_several(name, tmp_path):
    content, options = FORMS[name]
    path = tmp_path / name
    path.write_text(content)
    examples = zoo.TextClassifier(multi_label=True, **options).read(path)
    assert examples.texts == ["x", "y", "z"]
    assert examples.label_sets == [("a", "b"), (), ("b",)]


@pytest.mark.parametrize("labels", [["it's", 'a "b"'], ["a, b", "c|d"], ["é", "\\"]])
def test_lists_are_read_as_python_prints_them(labels):
    assert labels_of(str(labels), ",") == tuple(labels)
    assert labels_of(json.dumps(labels), ",") == tuple(labels)


def test_labels_in_memory_may_be_sets():
    examples = read_label_sets([("x", {"b", "a"}), ("y", [])])
    assert examples.label_sets == [("a", "b"), ()]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("text,a,b\nx,1,2\n", {"label_column": "a,b"}, "x.csv:2: the b '2' is not 0 or 1, true"),
        ("text,a,b\nx,1,\n", {"label_column": "a,b"}, "x.csv:2: the b is empty"),
        ("text,a,b\nx,1,0\n", {"label_column": "a,c"}, "has no column 'c' for label_column"),
        ("text,a,b\nx,1,0\n", {"label_column": "a,a"}, "label_column must name different columns"),
        ("text,labels\nx,a\ny,a\n", {}, "has only one label, 'a'"),
        ("text,labels\nx,a|b\n", {"label_separator": ""}, "label_separator must have a character"),
    ],
)
def test_what_cannot_be_learned_is_named(content, options, message, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(content)
    with pytest.raises((UserError, DataError), match=message):
        zoo.TextClassifier(multi_label=True, **options).adapt(path)


def test_a_label_never_seen_is_named(task):
    with pytest.raises(UserError, match="has the label 'art'; expected one of food, music, sport"):
        task.evaluate([("a song", ["art"])])


def test_files_of_several_labels_are_not_prepared(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("text,labels\nx,a|b\ny,b\n")
    with pytest.raises(UserError, match="texts with several labels cannot be prepared"):
        zoo.TextClassifier(multi_label=True).prepare(path, tmp_path / "shards")


def test_the_baseline_is_saved(tmp_path):
    texts, sets = zip(*rows(), strict=True)
    baseline = LabelSetBaseline.fit(WORDS, texts, sets)
    predictions = baseline.predict(texts)
    labels = sorted({label for own in sets for label in own})
    f1 = {
        name: score_label_sets(sets, own, labels)["micro_f1"] for name, own in predictions.items()
    }
    assert f1["tfidf"] > 0.9 > f1["frequent"]
    baseline.save(tmp_path)
    assert LabelSetBaseline.load(WORDS, tmp_path).predict(texts) == predictions


def test_lists_of_labels_are_not_taken_for_labels(tmp_path):
    rows = [("a red car", ["red"]), ("a fast car", ["fast"]), ("fast and red", ["fast", "red"])]
    with pytest.raises(UserError, match="each row has a list of labels.*give multi_label=True"):
        zoo.TextClassifier().adapt(rows)
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"text": a, "label": b}) + "\n" for a, b in rows))
    with pytest.raises(UserError, match='rows.jsonl:1: "label" is not a string'):
        zoo.TextClassifier().adapt(path)
    single = zoo.TextClassifier()  # not a list
    single.adapt([("a film", "[spam]"), ("another", "[ham]")])
    assert single.settings.labels == ["[ham]", "[spam]"]
