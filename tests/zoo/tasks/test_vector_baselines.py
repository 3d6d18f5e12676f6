"""Baselines on vectors, beside scikit-learn, and what images and series become."""

from collections import Counter

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid

from zoo.data.images.read import read_images
from zoo.data.series.labeled import read_labeled_series
from zoo.errors import UserError
from zoo.preprocessing.images import ImagePreprocessor
from zoo.preprocessing.series import SeriesPreprocessor
from zoo.tasks.baselines import vectors as module
from zoo.tasks.baselines.frequent_answers import FrequentAnswers
from zoo.tasks.baselines.sampling import sampled
from zoo.tasks.baselines.small_inputs import block_means, short_series, small_pixels
from zoo.tasks.baselines.vectors import VectorBaselines


def drawn(count, labels, seed=0, features=7):
    random = np.random.default_rng(seed)
    classes = random.integers(0, len(labels), count)
    means = np.random.default_rng(9).normal(size=(len(labels), features))
    x = means[classes] + 2 * random.normal(size=(count, features))
    return 3 * x * np.arange(1, features + 1) + 5, [labels[each] for each in classes]


@pytest.mark.parametrize("labels", [["b", "a"], ["c", "a", "b"]])
def test_answers_are_those_of_scikit_learn(labels, tmp_path):
    (x, wanted), (new, expected) = drawn(83, labels), drawn(71, labels, 1)
    baselines = VectorBaselines.fit(x, wanted)
    deviations = x.std(axis=0)
    scale = np.maximum(deviations, deviations.mean())
    scaled, others = (x - x.mean(axis=0)) / scale, (new - x.mean(axis=0)) / scale
    logistic = LogisticRegression(max_iter=100).fit(scaled, wanted)
    centroid = NearestCentroid().fit(scaled, wanted)
    assert baselines.predict(new) == {
        "majority": [Counter(wanted).most_common(1)[0][0]] * 71,
        "nearest_centroid": centroid.predict(others).tolist(),
        "logistic_regression": logistic.predict(others).tolist(),
    }
    assert logistic.score(others, expected) < 1
    baselines.save(tmp_path)
    assert VectorBaselines.load(tmp_path).predict(new) == baselines.predict(new)


def test_large_data_are_sampled(monkeypatch):
    x, wanted = drawn(400, ["a", "b", "c"])
    monkeypatch.setattr(module, "PRODUCTS", 30 * 7 * 3)
    baselines = VectorBaselines.fit(x, wanted)
    rows = sampled(400, 30)
    scale = np.maximum(x.std(axis=0), x.std(axis=0).mean())
    scaled = (x - x.mean(axis=0)) / scale
    logistic = LogisticRegression(max_iter=100).fit(scaled[rows], np.array(wanted)[rows])
    assert baselines.predict(x)["logistic_regression"] == logistic.predict(scaled).tolist()


def test_features_that_are_all_equal_or_missing():
    same = VectorBaselines.fit(np.ones((4, 2)), list("aabb"))
    assert np.isfinite(same.centroids).all()
    without = VectorBaselines.fit(np.ones((4, 0)), list("aaab"))
    assert without.predict(np.ones((2, 0)))["majority"] == ["a", "a"]


def test_a_run_of_an_earlier_version_has_the_most_frequent_label(tmp_path):
    assert VectorBaselines.load(tmp_path) is None
    FrequentAnswers.of(["x", "y", "y"]).save(tmp_path)
    assert VectorBaselines.load(tmp_path).predict(np.zeros((2, 3))) == {"majority": ["y", "y"]}


@pytest.mark.parametrize("part", ["labels", "mean", "intercepts"])
def test_a_damaged_file_is_refused(tmp_path, part):
    baselines = VectorBaselines.fit(*drawn(31, ["a", "b", "c"]))
    np.savez(tmp_path / VectorBaselines.file, **{**vars(baselines), part: np.zeros(2, "float32")})
    with pytest.raises(UserError, match="is damaged"):
        VectorBaselines.load(tmp_path)


@pytest.mark.parametrize(("length", "most"), [(12, 4), (13, 4), (5, 7), (17, 16)])
def test_blocks_are_means_of_neighbors(length, most):
    x = np.random.default_rng(0).normal(size=(3, length, 2))
    blocks = block_means(x, 1, most)
    parts = [x[:, length * i // most : length * (i + 1) // most] for i in range(most)]
    whole = x if length <= most else np.stack([each.mean(axis=1) for each in parts], axis=1)
    np.testing.assert_allclose(blocks, whole)


def test_images_become_vectors_of_at_most_16x16_pixels():
    random = np.random.default_rng(2)
    images = [(random.integers(0, 255, (32, 48, 3)).astype("uint8"), "ab"[i % 2]) for i in range(4)]
    examples = read_images(images)
    vectors = small_pixels(
        examples, ImagePreprocessor.of(examples.shapes[0], examples.images), [1, 3]
    )
    expected = [image.reshape(16, 2, 16, 3, 3).mean(axis=(1, 3)) for image, _ in images]
    np.testing.assert_allclose(vectors, np.reshape(expected, (4, -1))[[1, 3]], rtol=1e-5)


def test_series_become_vectors_of_their_last_values():
    long, short = np.arange(256.0), np.array([4.0, np.nan])
    examples = read_labeled_series([(long, "a"), (short, "b")])
    vectors = short_series(examples, SeriesPreprocessor.of(examples.unlabeled, 256, 0), [0, 1])
    np.testing.assert_allclose(vectors[0], np.arange(128) * 2 + 0.5)
    assert vectors.shape == (2, 128) and not vectors[1, :-1].any()
