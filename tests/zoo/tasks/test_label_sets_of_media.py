"""Classifiers of images and of series with several labels."""

import numpy as np
import pytest
import tensorflow as tf

import zoo
from tests.tasks.cases import files
from zoo.errors import DataError, UserError
from zoo.tasks.baselines.label_sets import LabelSetBaseline
from zoo.tasks.baselines.linear_vectors import LOGISTIC

HOW = {"xla": False, "verbose": False}


def corners(count=120, seed=0):
    return list(zip(*files.corners(count, seed), strict=True))


def test_each_image_has_any_number_of_labels(tmp_path):
    task = zoo.ImageClassifier(preset="cnn", layers=[[7, 3], [5, 3]], multi_label=True)
    task.fit(corners(), corners(seed=1), epochs=20, learning_rate=0.02, folder=tmp_path, **HOW)
    assert task.labels == ["lower", "upper"]
    images = [image for image, _ in corners(40, seed=2)]
    scores = task.predict_proba(images)
    several = [zip(task.labels, row >= task.head.threshold, strict=True) for row in scores]
    expected = [[label for label, has in row if has] for row in several]
    assert task.predict(images) == expected
    actual = task.evaluate(corners(40, seed=2))
    assert actual["micro_f1"] > 0.9 > actual["frequent_micro_f1"] and actual["upper_f1"] > 0.9
    assert "logistic_regression_micro_f1" in actual
    again = zoo.load(tmp_path)
    assert task.scaling.threshold is not None
    assert again.head.threshold == task.scaling.threshold == task.head.threshold
    with pytest.raises(UserError, match="has the label 'left'; expected one of lower, upper"):
        task.evaluate([(images[0], ["left"])])


def test_forms_of_labels_of_images(tmp_path):
    images, sets = files.corners(7, seed=31)
    expected = [tuple(own) for own in sets]
    column = zoo.ImageClassifier(multi_label=True).read(files.corner_images(tmp_path, 7))
    assert column.label_sets == expected
    flags = [[int(name in own) for name in ("upper", "lower")] for own in sets]
    rows = [f"{n}.png,{a},{b}" for n, (a, b) in enumerate(flags)]
    (tmp_path / "x.csv").write_text("\n".join(["file,upper,lower", *rows]))
    named = {"multi_label": True, "label_column": "upper,lower"}
    assert zoo.ImageClassifier(**named).read(tmp_path / "x.csv").label_sets == expected
    np.savez(tmp_path / "a.npz", images=images, labels=flags, classes=["upper", "lower"])
    arrays = zoo.ImageClassifier(multi_label=True).read(tmp_path / "a.npz")
    assert arrays.label_sets == expected and {*arrays.labels} == {"upper", "lower"}


def test_forms_of_labels_of_series(tmp_path):
    table = "id,x,fast,high\na,1,1,1\na,2,1,1\nb,1,0,0\nc,5,0,1\n"
    (tmp_path / "x.csv").write_text(table)
    named = zoo.SeriesClassifier(multi_label=True, label_column="fast,high")
    expected = [("fast", "high"), (), ("high",)]
    assert named.read(tmp_path / "x.csv").label_sets == expected
    (tmp_path / "y.csv").write_text("id,x,label\na,1,fast;high\na,2,fast;high\nb,1,\nc,5,high\n")
    one = zoo.SeriesClassifier(multi_label=True, label_separator=";")
    assert one.read(tmp_path / "y.csv").label_sets == expected
    flags = [[1, 1], [0, 0], [0, 1]]
    np.savez(tmp_path / "a.npz", x=np.ones((3, 5)), y=flags, classes=["fast", "high"])
    arrays = zoo.SeriesClassifier(multi_label=True).read(tmp_path / "a.npz")
    assert arrays.label_sets == expected
    listed = [(np.ones(5), own) for own in ({"high", "fast"}, [], ("high",))]
    assert zoo.SeriesClassifier(multi_label=True).read(listed).label_sets == expected


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("id,x,a,b\nn,1,1,2\n", {"label_column": "a,b"}, "the b of series 'n' is '2', not 0 or 1"),
        ("id,x,a,b\nn,1,1,0\nn,2,0,0\n", {"label_column": "a,b"}, "a of series 'n' is '0', and w"),
        ("id,x,a\nn,1,1\n", {"label_column": "a,c"}, "has no column 'c'"),
        ("id,x,label\nn,1,a\nm,1,a\n", {}, "has only one label, 'a'"),
        ("id,x\nn,1\n", {}, "has no column of labels: name it with label_column"),
    ],
)
def test_what_series_cannot_teach_is_named(content, options, message, tmp_path):
    (tmp_path / "x.csv").write_text(content)
    with pytest.raises((UserError, DataError), match=message):
        zoo.SeriesClassifier(multi_label=True, **options).adapt(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("file,a,b\na.png,1,2\n", {"label_column": "a,b"}, "x.csv:2: the b '2' is not 0 or 1"),
        ("file,labels\na.png,a\n", {}, "has only one label, 'a'"),
        ("file,labels\na.png,a|b\n", {"label_separator": ""}, "label_separator must have a char"),
        ("file,a,b\na.png,1,0\n", {"label_column": "a,c"}, "has no column 'c' for label_column"),
    ],
)
def test_what_images_cannot_teach_is_named(content, options, message, tmp_path):
    image = tf.io.encode_png(np.zeros((13, 11, 1), np.uint8)).numpy()
    (tmp_path / "a.png").write_bytes(image)
    (tmp_path / "x.csv").write_text(content)
    with pytest.raises((UserError, DataError), match=message):
        zoo.ImageClassifier(multi_label=True, **options).adapt(tmp_path / "x.csv")
    with pytest.raises(UserError, match="is a folder; several labels are in a table of image fil"):
        zoo.ImageClassifier(multi_label=True).adapt(tmp_path)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"labels": [[1, 2]], "classes": ["a", "b"]}, "labels must be 0 or 1 for each of the cl"),
        ({"labels": [1], "classes": ["a", "b"]}, r"expected labels \(1, C\) and classes \(C,\)"),
        ({"labels": [[1, 0]]}, "has no array classes; its arrays are images, labels"),
    ],
)
def test_arrays_that_do_not_fit_are_named(arrays, message, tmp_path):
    np.savez(tmp_path / "a.npz", images=np.zeros((1, 5, 7), np.uint8), **arrays)
    with pytest.raises(UserError, match=message):
        zoo.ImageClassifier(multi_label=True).adapt(tmp_path / "a.npz")


def test_the_baseline_is_that_of_scikit_learn(tmp_path):
    linear = pytest.importorskip("sklearn.linear_model")
    random = np.random.default_rng(5)
    x = random.normal(size=(67, 3)) * [1, 5, 9] + 4
    sets = [["b"] * bool(row[0] > 4) + ["a"] * bool(row[1] > 6) + ["all"] for row in x]
    baseline = LabelSetBaseline.fit(LOGISTIC, x, sets)
    deviations = x.std(axis=0)
    scaled = (x - x.mean(axis=0)) / np.maximum(deviations, deviations.mean())
    for label, weights in zip(baseline.labels, baseline.model.coefficients, strict=True):
        has = [label in own for own in sets]
        model = linear.LogisticRegression(C=1, solver="liblinear", random_state=0).fit(scaled, has)
        np.testing.assert_allclose(weights, model.coef_[0], rtol=1e-5)
    assert {*baseline.labels} == {"a", "b"} and "all" in baseline.frequent
    baseline.save(tmp_path)
    again = LabelSetBaseline.load(LOGISTIC, tmp_path)
    assert again.predict(x) == baseline.predict(x)
