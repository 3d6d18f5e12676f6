"""Batches of images: what is in them, the same whenever an epoch is read; random changes."""

import numpy as np
import pytest
import tensorflow as tf
from PIL import Image
from scipy.ndimage import map_coordinates

from zoo.data.batching.augment import Augmentation
from zoo.data.batching.images import ImageBatches
from zoo.data.images.header import Shape
from zoo.preprocessing.images import ImagePreprocessor

COUNT = 11


def pixels():
    return np.random.default_rng(2).integers(0, 256, (COUNT, 7, 5, 1), np.uint8)


def batches(images, **options):
    preprocessor = ImagePreprocessor.of(Shape(7, 5, 1), list(pixels()))
    return ImageBatches(images, range(COUNT), preprocessor, batch_size=4, **options)


def read(actual, *arguments, **options):
    data = actual.dataset(*arguments, **options)
    return [(x["image"].numpy(), labels.numpy()) for x, labels in data]


def test_every_image_is_in_an_epoch_once_with_its_label():
    actual = batches(list(pixels()), seed=3)
    epoch = read(actual)
    assert len(epoch) == actual.steps_per_epoch == 3
    images, labels = (np.concatenate(each) for each in zip(*epoch, strict=True))
    assert labels.tolist() != list(range(COUNT)) and sorted(labels) == [-1, *range(COUNT)]
    for image, label in zip(images, labels, strict=True):
        if label >= 0:
            np.testing.assert_array_equal(image, pixels()[label])
    assert str(actual) == "11 images in 3 batches (of 4x7x5x1)"


def test_an_epoch_is_the_same_after_others_and_alone():
    changes = Augmentation(shift=0.2, rotation=30, flip=True)
    actual = batches(list(pixels()), seed=3, augmentation=changes)
    data = actual.dataset(0, repeat=True).take(6)
    running = [(x["image"].numpy(), labels.numpy()) for x, labels in data]
    alone = read(batches(list(pixels()), seed=3, augmentation=changes), 1)
    for (images, labels), (others, numbers) in zip(running[3:], alone, strict=True):
        np.testing.assert_array_equal(images, others)
        np.testing.assert_array_equal(labels, numbers)
    assert not np.array_equal(running[0][0], running[3][0])
    again = read(batches(list(pixels()), seed=4, augmentation=changes), 1)
    assert not np.array_equal(alone[0][0], again[0][0])


def test_files_give_what_their_pixels_give(tmp_path):
    paths = []
    for number, image in enumerate(pixels()):
        paths.append(str(tmp_path / f"{number}.png"))
        Image.fromarray(image[..., 0]).save(paths[-1])
    changes = {"seed": 5, "augmentation": Augmentation(shift=0.1)}
    of_files, of_pixels = (read(batches(x, **changes)) for x in (paths, list(pixels())))
    for (images, labels), (others, numbers) in zip(of_files, of_pixels, strict=True):
        np.testing.assert_allclose(images, others, atol=1e-4)
        np.testing.assert_array_equal(labels, numbers)


def test_arrays_of_other_sizes_are_resized():
    images = [np.full((9, 9 + i % 2, 1), 7.0 + i, "float32") for i in range(COUNT)]
    (actual, labels), *_ = read(batches(images), shuffle=False)
    assert actual.shape == (4, 7, 5, 1) and labels.tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(actual[2], 9.0, atol=1e-4)


@pytest.mark.parametrize(
    "options",
    [
        {"shift": 0.3},
        {"rotation": 50.0},
        {"flip": True},
        {"shift": 0.1, "rotation": 20.0, "flip": True},
    ],
)
def test_changes_are_those_of_their_transforms_and_in_their_range(options):
    images = np.random.default_rng(1).uniform(0, 255, (13, 11, 7, 1)).astype("float32")
    change = Augmentation(**options)
    actual = change(images, (3, 5)).numpy()
    transforms = change.transforms(13, 11, 7, (3, 5)).numpy().astype("float64")
    y, x = np.mgrid[:11, :7]
    for image, shown, (a, b, c, d, e, f, *_) in zip(images, actual, transforms, strict=True):
        at = [d * x + e * y + f, a * x + b * y + c]
        expected = map_coordinates(image[..., 0], at, order=1, mode="grid-constant")
        np.testing.assert_allclose(shown[..., 0], expected, atol=1e-2)
        center = np.array([a * 3 + b * 5 + c - 3, d * 3 + e * 5 + f - 5])
        shift = options.get("shift", 0)
        assert (np.abs(center) <= np.array([shift * 7, shift * 11]) + 1e-4).all()
        angle = np.degrees(np.arctan2(-b, e))
        assert abs(angle) <= options.get("rotation", 0) + 1e-4
        mirror = np.sign(a * e - b * d)
        assert mirror == 1 or "flip" in options
        np.testing.assert_allclose(a * e - b * d, mirror, atol=1e-5)
    assert len({tuple(each) for each in transforms.round(4)}) > 1


def test_a_mirror_image_and_none_at_all():
    images = np.random.default_rng(1).uniform(0, 255, (17, 5, 4, 3)).astype("float32")
    actual = Augmentation(flip=True)(images, (1, 2)).numpy()
    same = [np.allclose(a, b, atol=1e-3) for a, b in zip(actual, images, strict=True)]
    mirrored = [np.allclose(a, b[:, ::-1], atol=1e-3) for a, b in zip(actual, images, strict=True)]
    assert 0 < sum(same) < 17 and sum(same) + sum(mirrored) == 17
    assert Augmentation()(tf.constant(images), (1, 2)).numpy() is not None
    np.testing.assert_array_equal(Augmentation()(images, (1, 2)), images)
