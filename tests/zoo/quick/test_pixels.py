"""The pixels of the quick route are those of TensorFlow."""

import io

import numpy as np
import pytest
from PIL import Image

from zoo.cli.quick.pixels import pixels_of, resize
from zoo.cli.quick.texts import NotServed
from zoo.data.images.decode import fit
from zoo.data.images.header import Shape
from zoo.preprocessing.images import ImagePreprocessor

RANDOM = np.random.default_rng(0)


def image(mode, size=(11, 7)):
    pixels = RANDOM.integers(0, 256, (*size, 4), dtype=np.uint8)
    if mode == "I;16":
        return Image.fromarray(pixels[..., 0].astype(np.uint16) * 257 + 3)
    if mode in ("RGBA", "RGB"):
        return Image.fromarray(pixels[..., : len(mode)])
    if mode == "LA":
        return Image.fromarray(pixels[..., 0]).convert("LA")
    return Image.fromarray(pixels[..., :3]).convert(mode)


@pytest.mark.parametrize("suffix", ["png", "jpg", "webp", "bmp", "gif", "tiff"])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_they_are_those_of_tensorflow_or_left_to_it(mode, channels, suffix, tmp_path):
    path, shape = tmp_path / f"a.{suffix}", Shape(5, 13, channels)
    try:
        image(mode).save(path)
    except OSError:
        pytest.skip("the format has no such mode")
    wanted = ImagePreprocessor(shape, np.zeros((0, *shape), np.uint8)).fitted(str(path))
    try:
        actual = pixels_of(path, shape)
    except NotServed:
        assert channels == 1 or mode == "I;16" or suffix == "webp"
        return
    np.testing.assert_allclose(actual, wanted, atol=1e-3)


@pytest.mark.parametrize("old", [(5, 3), (17, 31), (97, 41)])
@pytest.mark.parametrize("new", [(7, 11), (17, 31), (2, 89)])
def test_resizing(old, new):
    pixels = RANDOM.uniform(0, 255, (*old, 3)).astype(np.float32)
    wanted = fit(pixels, Shape(*new, 3)).numpy()
    np.testing.assert_allclose(resize(pixels, Shape(*new, 3)), wanted, atol=2e-3)


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n", b"<svg/>"])
def test_what_is_no_image_is_left_to_tensorflow(content, tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(content)
    with pytest.raises(NotServed):
        pixels_of(path, Shape(3, 5, 3))
    with pytest.raises(NotServed):
        pixels_of(tmp_path / "none.png", Shape(3, 5, 3))


def test_what_is_turned_or_cut_off_is_left_to_tensorflow(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    for form in ("png", "jpeg"):
        image("RGB").save(tmp_path / f"turned.{form}", exif=exif)
        stream = io.BytesIO()
        image("RGB").save(stream, form)
        (tmp_path / f"cut.{form}").write_bytes(stream.getvalue()[:-40])
        for name in (f"turned.{form}", f"cut.{form}"):
            with pytest.raises(NotServed):
                pixels_of(tmp_path / name, Shape(3, 5, 3))
