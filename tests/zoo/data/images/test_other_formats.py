"""WebP, GIF, BMP and TIFF images: the pixels that Pillow reads, wherever images are read."""

import io
import struct
import zlib

import numpy as np
import pytest
import tensorflow as tf
from PIL import Image

from zoo.data.batching.images import ImageSource
from zoo.data.images.content import content_of, shape_of
from zoo.data.images.decode import decode
from zoo.data.images.folders import check_files
from zoo.data.images.header import Shape
from zoo.data.images.read import read_images
from zoo.data.readers.column_names import ReadOptions
from zoo.errors import UserError
from zoo.preprocessing.images import ImagePreprocessor

COLORS = np.random.default_rng(0).integers(0, 256, (7, 5, 3), np.uint8)
GRAYS = np.random.default_rng(1).integers(0, 256, (7, 5), np.uint8)
PLAIN = Image.fromarray(COLORS)
FEW = PLAIN.quantize(11)  # a palette
CLEAR = Image.fromarray(np.dstack([COLORS, GRAYS]))


def stored(image, form, **options):
    stream = io.BytesIO()
    image.save(stream, form, **options)
    return stream.getvalue()


EXIF = Image.Exif()
EXIF[0x0112] = 6  # turned by 90 degrees
FILES = {
    "lossless.webp": (stored(PLAIN, "webp", lossless=True), COLORS),
    "clear.webp": (stored(CLEAR, "webp", lossless=True, exact=True), COLORS),
    "moving.webp": (
        stored(PLAIN, "webp", lossless=True, save_all=True, append_images=[FEW.convert("RGB")]),
        COLORS,
    ),
    "turned.webp": (stored(PLAIN, "webp", lossless=True, exif=EXIF), np.rot90(COLORS, -1)),
    "palette.gif": (stored(FEW, "gif"), np.asarray(FEW.convert("RGB"))),
    "moving.gif": (
        stored(FEW, "gif", save_all=True, append_images=[PLAIN.quantize(7)], duration=9),
        np.asarray(FEW.convert("RGB")),
    ),
    "clear.gif": (stored(FEW, "gif", transparency=3), np.asarray(FEW.convert("RGB"))),
    "gray.gif": (stored(Image.fromarray(GRAYS), "gif"), np.dstack([GRAYS] * 3)),
    "colors.bmp": (stored(PLAIN, "bmp"), COLORS),
    "palette.bmp": (stored(FEW, "bmp"), np.asarray(FEW.convert("RGB"))),
    "gray.bmp": (stored(Image.fromarray(GRAYS), "bmp"), GRAYS),
    "colors.tif": (stored(PLAIN, "tiff", compression="tiff_lzw"), COLORS),
    "turned.tiff": (stored(PLAIN, "tiff", tiffinfo={0x0112: 6}), np.rot90(COLORS, -1)),
    "16.tiff": (stored(Image.fromarray(GRAYS.astype(np.uint16) * 256 + 77), "tiff"), GRAYS),
    "cmyk.tif": (
        stored(PLAIN.convert("CMYK"), "tiff"),
        np.asarray(PLAIN.convert("CMYK").convert("RGB")),
    ),
    "bits.tif": (stored(Image.fromarray(GRAYS > 99), "tiff"), (GRAYS > 99) * np.uint8(255)),
    "a webp really.jpg": (stored(PLAIN, "webp", lossless=True), COLORS),
}


@pytest.mark.parametrize("name", FILES)
def test_pixels_are_those_of_pillow(name, tmp_path):
    content, pixels = FILES[name]
    path, channels = tmp_path / name, 1 if pixels.ndim == 2 else 3
    path.write_bytes(content)
    pixels = pixels.reshape(*pixels.shape[:2], channels)
    assert shape_of(path).channels == channels and set(shape_of(path)[:2]) == {5, 7}
    assert check_files([path]) == [Shape(*pixels.shape)]
    np.testing.assert_array_equal(decode(content_of(path), channels), pixels)
    preprocessor = ImagePreprocessor.of(Shape(*pixels.shape), [str(path)])
    np.testing.assert_array_equal(preprocessor.sample[0], pixels)  # as `predict` reads it
    source = ImageSource([str(path)], preprocessor)  # as training reads it
    batches = tf.data.Dataset.from_tensors([0]).map(source)
    np.testing.assert_array_equal(next(iter(batches))[0], pixels)


@pytest.mark.parametrize(
    "name", sorted(set(FILES) - {"moving.gif"})
)  # whose first frame may be whole
def test_a_file_that_is_cut_off(name, tmp_path):
    path, (content, _) = tmp_path / name, FILES[name]
    for size in (3, 11, len(content) // 3, len(content) * 2 // 3):
        path.write_bytes(content[:size])
        (reason,) = check_files([path])
        assert reason in ("it is damaged", "it is no PNG, JPEG, WebP, GIF, BMP or TIFF file"), size


def webp(kind, content):
    return b"RIFF" + struct.pack("<I", 1000) + b"WEBP" + kind + struct.pack("<I", 900) + content


BMP = stored(PLAIN, "bmp")
HUGE = {
    "a.webp": webp(b"VP8X", bytes(4) + b"\xff\x3f\x00" * 2 + bytes(990)),
    "b.webp": webp(b"VP8L", b"\x2f" + struct.pack("<I", 0x0FFFFFFF) + bytes(990)),
    "c.webp": webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + b"\xff\x3f\xff\x3f" + bytes(990)),
    "d.gif": b"GIF89a" + struct.pack("<HHBBB", 65535, 65535, 0, 0, 0) + b"," + bytes(99),
    "e.bmp": BMP[:18] + struct.pack("<ii", 1 << 17, 1 << 17) + BMP[26:],
    "f.tif": stored(Image.new("1", (1 << 14, 1 << 13)), "tiff", compression="group4"),
}


@pytest.mark.parametrize("name", HUGE)
def test_a_size_is_checked_before_anything_is_decoded(name, tmp_path, monkeypatch):
    (tmp_path / name).write_bytes(HUGE[name])
    monkeypatch.setattr(Image.Image, "load", lambda *_: pytest.fail("decoded"))
    if name.endswith(".webp"):  # Pillow takes memory for its pixels when it opens one
        monkeypatch.setattr(Image, "open", lambda *_, **__: pytest.fail("opened"))
    (reason,) = check_files([tmp_path / name])
    assert reason.startswith("it declares ") and reason.endswith(" 67,108,864 pixels")


def test_numbers_that_are_no_pixels(tmp_path):
    (tmp_path / "a.tif").write_bytes(stored(Image.fromarray(np.ones((3, 5), np.float32)), "tiff"))
    assert check_files([tmp_path / "a.tif"]) == ["its pixels are of type F; expected 8 or 16 bits"]


def test_an_artifact_refuses_what_it_would_decode_otherwise():
    for content in (FILES["palette.bmp"][0], FILES["moving.gif"][0], FILES["clear.webp"][0], b""):
        with pytest.raises(tf.errors.InvalidArgumentError, match="bytes of a PNG or JPEG file"):
            tf.function(decode)(tf.constant(content), 3)


@pytest.fixture
def folder(tmp_path):
    for label, name in (("cat", "colors.bmp"), ("owl", "lossless.webp")):
        (tmp_path / label).mkdir()
        (tmp_path / label / name).write_bytes(FILES[name][0])
    return tmp_path


def test_a_class_of_other_formats(folder):
    (folder / "cat" / "notes.txt").write_text("a cat")
    (folder / "owl" / ".DS_Store").write_text("")
    (folder / "list.csv").write_text("")
    actual = read_images(folder)
    assert actual.labels == ["cat", "owl"] and len(actual) == 2
    assert actual.statistics["files that are no images skipped"] == 1


@pytest.mark.parametrize("name", ["a.heic", None, "inner/a.png"])
def test_a_folder_without_an_image_is_an_error(folder, name):
    (folder / "dog").mkdir()
    if name:
        (folder / "dog" / name).parent.mkdir(exist_ok=True)
        (folder / "dog" / name).write_bytes(zlib.compress(b""))
    with pytest.raises(UserError) as caught:
        read_images(folder)
    assert str(caught.value) == (
        f"{folder / 'dog'} has no images: expected PNG, JPEG, WebP, GIF, BMP or TIFF files with "
        "the label dog; move the folder elsewhere if it is no label"
    )


def test_a_label_whose_images_cannot_be_read(folder):
    (folder / "owl" / "lossless.webp").write_bytes(b"RIFF....WEBP")
    with pytest.raises(UserError, match="owl has no image that can be read"):
        read_images(folder, ReadOptions(skip_bad_rows=True))
