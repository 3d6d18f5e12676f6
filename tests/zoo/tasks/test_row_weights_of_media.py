"""Weights of rows in the loss of images and series, with the losses of the formula."""

import numpy as np
import pytest
from PIL import Image

import zoo
from zoo.errors import UserError

SMALL = {"layers": [[4, 3], [4, 3]], "localization": [[2, 3]]}
HOW = {"epochs": 1, "xla": False, "verbose": False}
WEIGHTS = [2.0, 0.0, 1.0, 3.0, 0.5]
LABELS = ["dark", "light", "dark", "light", "dark"]


def images(folder, weights=WEIGHTS):
    for number, label in enumerate(LABELS):
        pixels = np.random.default_rng(number).integers(0, 99, (13, 13)) + 99 * (label == "light")
        Image.fromarray(pixels.astype(np.uint8)).save(folder / f"{number}.png")
    rows = [f"{n}.png,{label},{w}" for n, (label, w) in enumerate(zip(LABELS, weights))]  # noqa: B905
    table = folder / "images.csv"
    table.write_text("\n".join(["file,label,importance", *rows]))
    return table


def series(folder, weights=WEIGHTS):
    random, rows = np.random.default_rng(5), []
    for number, (label, weight) in enumerate(zip(LABELS, weights, strict=True)):
        rows += [f"{number},{x:.3f},{label},{weight}" for x in random.normal(size=7)]
    table = folder / "series.csv"
    table.write_text("\n".join(["series,value,label,importance", *rows]))
    return table


def of_images(**settings):
    return zoo.ImageClassifier("stn_classifier", "affine", **SMALL, **settings)


def of_series(**settings):
    return zoo.SeriesClassifier(hidden_dim=4, num_layers=1, **settings)


TASKS = pytest.mark.parametrize(
    ("make", "write"), [(of_images, images), (of_series, series)], ids=["images", "series"]
)


@TASKS
def test_validation_loss_is_the_weighted_mean(make, write, tmp_path):
    data = write(tmp_path)
    task = make(weight_column="importance")
    history = task.fit(data, data, **HOW)
    rows = task.read(data)
    assert rows.weights == WEIGHTS
    logits, labels, weights = [], [], []
    training = task.Training(batch_size=3)  # the second batch is filled up
    batches = task.batches(rows, training, held_out=True)
    for inputs, classes, own in batches.dataset(shuffle=False):
        logits.append(np.asarray(task.model(inputs, training=False)["logits"], np.float64))
        labels.append(np.asarray(classes))
        weights.append(np.asarray(own))
    logits, labels, weights = map(np.concatenate, (logits, labels, weights))
    assert weights.tolist() == [*WEIGHTS, 0.0] and labels.tolist() == [0, 1, 0, 1, 0, -1]
    log_p = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    picked = log_p[np.arange(6), np.maximum(labels, 0)]
    expected = -np.average(picked, weights=weights)
    assert history.history["val_loss"][0] == pytest.approx(expected, rel=1e-4)


@TASKS
def test_data_to_evaluate_need_no_weights(make, write, tmp_path):
    data = write(tmp_path)
    task = make(weight_column="importance")
    task.fit(data, **HOW)
    data.write_text(data.read_text().replace("importance", "other"))
    assert 0 <= task.evaluate(data)["accuracy"] <= 1


@TASKS
@pytest.mark.parametrize("weight", ["-1", "many", "inf"])
def test_a_weight_that_is_none_is_refused(make, write, weight, tmp_path):
    data = write(tmp_path, [1, 1, weight, 1, 1])
    with pytest.raises(UserError, match=f"the weight '{weight}' is not a finite number of at"):
        make(weight_column="importance").adapt(data)


@TASKS
def test_weights_are_refused_where_they_cannot_be(make, write, tmp_path):
    data = write(tmp_path, [0] * 5)
    with pytest.raises(UserError, match="all weights of rows are 0; some must be above 0"):
        make(weight_column="importance").adapt(data)
    with pytest.raises(UserError, match="weight_column is for inputs with one label each"):
        make(weight_column="importance", multi_label=True).adapt(data)
    rows = [(np.zeros((13, 13)), "a"), (np.ones((13, 13)), "b")]
    with pytest.raises(UserError, match="weight_column is for tables of (images|series), and data"):
        make(weight_column="importance").adapt(rows)
