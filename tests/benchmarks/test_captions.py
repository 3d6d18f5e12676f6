"""The tables and the baselines of the captions of Flickr8k, on a few colored images."""

import json

import numpy as np
import pytest

from benchmarks.captions import most_frequent, nearest, thumbnails, write_splits
from benchmarks.efficientnet_lite import converted, read_tensors
from zoo.data.images.captions import read_captions
from zoo.models.efficientnet_lite import efficientnet_lite0


def test_a_table_for_each_split(tmp_path):
    rows = [
        {"image": f"{number}.png", "split": split, "captions": [f"caption {number}"]}
        for number, split in enumerate(("train", "test", "train", "dev"))
    ]
    (tmp_path / "all.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    paths = write_splits(tmp_path / "all.jsonl", tmp_path / "out")
    actual = {name: path.read_text().splitlines() for name, path in paths.items()}
    assert [len(actual[name]) for name in ("train", "dev", "test")] == [2, 1, 1]
    assert json.loads(actual["dev"][0]) == {"image": "3.png", "captions": ["caption 3"]}


def test_the_baselines():
    random = np.random.default_rng(3)
    images = random.uniform(0, 255, (5, 16, 12, 3))
    train = read_captions([(image, [f"image {i}", "an image"]) for i, image in enumerate(images)])
    places = [3, 0, 4]
    noisy = np.clip(images[places] * 0.8 + random.normal(scale=3, size=(3, 16, 12, 3)), 0, 255)
    test = read_captions([(image, "?") for image in noisy])
    assert nearest(train, test, thumbnails) == [f"image {place}" for place in places]
    assert most_frequent(train) == "an image"


@pytest.mark.long
def test_tensors_of_pytorch_become_weights_of_keras(tmp_path):
    model, tensors = efficientnet_lite0((224, 224, 3)), []
    random = np.random.default_rng(5)
    for weight in model.weights:
        value = random.normal(size=weight.shape).astype("float32")
        order = {4: (3, 2, 0, 1), 1: (0,)}[value.ndim]
        if "depthwise" in weight.path:
            order = (2, 3, 0, 1)
        weight.assign(value)
        tensors.append(value.transpose(order))
    np.savez(tmp_path / "a.npz", **{f"{number:04}": x for number, x in enumerate(tensors)})
    actual = converted(read_tensors(tmp_path / "a.npz"))
    for ours, expected in zip(actual.weights, model.weights, strict=True):
        np.testing.assert_array_equal(ours, expected)
    with pytest.raises(SystemExit, match="1 tensors are left over"):
        converted([*tensors, tensors[-1]])
