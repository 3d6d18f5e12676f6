"""Images as the model takes them: Pillow's resizing, conversions, encoded images, damage."""

import io
import json
import logging

import numpy as np
import pytest
import tensorflow as tf
from PIL import Image

from zoo.data.images.header import Shape
from zoo.errors import UserError
from zoo.preprocessing.images import ImagePreprocessor


def pixels(height, width, channels=1, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (height, width, channels), np.uint8)


def preprocessor(*shape):
    return ImagePreprocessor.of(Shape(*shape), [pixels(*shape, seed=i) for i in range(3)])


def encoded(array, kind="png"):
    stream = io.BytesIO()
    Image.fromarray(array.squeeze()).save(stream, kind)
    return stream.getvalue()


@pytest.mark.parametrize("size", [(31, 23), (7, 5), (13, 11), (13, 47)])
def test_it_resizes_as_pillow_does(size):
    image = pixels(*size)
    actual = preprocessor(13, 11, 1).fitted(image)[..., 0]
    expected = Image.fromarray(image[..., 0]).resize((11, 13), Image.Resampling.BILINEAR)
    assert np.abs(actual - np.asarray(expected, float)).max() <= 1  # Pillow rounds twice


def test_images_of_its_size_are_unchanged_and_others_are_counted(caplog):
    images = [pixels(13, 11, seed=i) for i in range(3)]
    with caplog.at_level(logging.WARNING, "keras_attn"):
        actual = preprocessor(13, 11, 1).read({"image": images})["image"]
        assert not caplog.records
        preprocessor(13, 11, 1).read({"image": [pixels(5, 3)]})  # smaller than the model
    np.testing.assert_array_equal(actual, np.stack(images).astype("float32"))
    assert actual.dtype == np.float32 and "1 image resized to 11x13" in caplog.text


def test_gray_for_color_and_color_for_gray():
    gray, color = pixels(13, 11), pixels(13, 11, 3)
    actual = preprocessor(13, 11, 3).fitted(gray)
    np.testing.assert_array_equal(actual, np.repeat(gray, 3, axis=2))
    actual = preprocessor(13, 11, 1).fitted(color)[..., 0]
    np.testing.assert_allclose(actual, color @ [0.2989, 0.587, 0.114], atol=1)


@pytest.mark.parametrize("channels", [1, 3])
def test_encoded_images_are_those_of_files_and_of_pixels(tmp_path, channels):
    images = [pixels(13, 11, channels), pixels(17, 19, channels)]
    actual = preprocessor(13, 11, channels)
    content = tf.constant([encoded(image) for image in images])
    decoded = actual.decode(image_bytes=content)["image"].numpy()
    expected = actual.read({"image": images})["image"]
    np.testing.assert_allclose(decoded, expected, atol=1e-4)
    paths = []
    for number, image in enumerate(images):
        paths.append(str(tmp_path / f"{number}.png"))
        (tmp_path / f"{number}.png").write_bytes(encoded(image))
    np.testing.assert_array_equal(actual.read({"image": paths})["image"], decoded)
    assert actual.read({"image": []})["image"].shape == (0, 13, 11, channels)


def test_an_image_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "a.png").write_bytes(b"text")
    with pytest.raises(UserError, match=r"a\.png: it is no PNG, JPEG"):
        preprocessor(13, 11, 1).read({"image": [str(tmp_path / "a.png")]})


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("images.json", lambda x: {**x, "height": 10**9}),
        ("images.json", lambda x: {**x, "channels": 2}),
        ("images.json", lambda x: {"height": 3}),
        ("images.json", lambda x: {**x, "width": float("inf")}),
        ("sample.npz", lambda x: {**x, "width": 12}),
    ],
)
def test_damage(tmp_path, name, change):
    preprocessor(13, 11, 1).save(tmp_path)
    again = ImagePreprocessor.load(tmp_path)
    assert again.shape == (13, 11, 1) and again.sample.shape == (3, 13, 11, 1)
    facts = json.loads((tmp_path / "images.json").read_text())
    (tmp_path / "images.json").write_text(json.dumps(change(facts)))
    with pytest.raises(UserError, match=f"{name} is damaged"):
        ImagePreprocessor.load(tmp_path)


def test_images_are_counted_where_they_are_read_and_not_where_they_are_shown(caplog):
    caplog.set_level(logging.INFO, "keras_attn")
    logging.getLogger("keras_attn").propagate = True
    images = [pixels(17, 19, seed=i) for i in range(5)]
    learned = ImagePreprocessor.of(Shape(13, 11, 1), images)
    learned.fitted(images[0])
    assert "resized" not in caplog.text
    learned.read({"image": images})
    assert caplog.text.count("resized") == 1 and "5 images resized to 11x13" in caplog.text
