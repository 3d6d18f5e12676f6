"""Photos are read the right way up, as Pillow turns them."""

import io
import struct

import numpy as np
import pytest
import tensorflow as tf
from PIL import Image, ImageOps

from zoo.data.images.decode import decode
from zoo.data.images.folders import check_files
from zoo.data.images.orientation import orientation, upright

PIXELS = np.random.default_rng(0).integers(0, 256, (7, 5, 3), np.uint8)


def photo(value, form="jpeg"):
    exif = Image.Exif()
    exif[0x010F] = "a camera"  # a tag before
    exif[0x0112] = value
    stream = io.BytesIO()
    Image.fromarray(PIXELS).save(stream, form, exif=exif)
    return stream.getvalue()


@pytest.mark.parametrize("form", ["jpeg", "png"])
@pytest.mark.parametrize("value", range(1, 9))
def test_photos_are_turned_as_pillow_turns_them(value, form):
    content = photo(value, form)
    assert int(orientation(content)) == value
    stored = Image.open(io.BytesIO(content))
    turned = np.asarray(ImageOps.exif_transpose(stored))
    np.testing.assert_array_equal(upright(np.asarray(stored), value), turned)
    np.testing.assert_array_equal(decode(content, 3), turned)


@pytest.mark.parametrize("subsampling", [0, 1, 2])
@pytest.mark.parametrize("size", [(1, 1), (16, 16), (33, 47)])
def test_jpeg_files_have_the_pixels_of_pillow_and_browsers(size, subsampling):
    random = np.random.default_rng(1)
    pixels = 128 + np.cumsum(random.normal(0, 20, (*size, 3)), axis=1)
    image = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    for quality in (10, 90):
        for progressive in (False, True):
            stream, how = io.BytesIO(), {"subsampling": subsampling, "progressive": progressive}
            image.save(stream, "jpeg", quality=quality, **how)
            expected = np.asarray(Image.open(stream))
            np.testing.assert_array_equal(decode(stream.getvalue(), 3), expected)


def segment(order, tags, before=b""):
    entries = b"".join(struct.pack(f"{order}HHIHxx", tag, 3, 1, value) for tag, value in tags)
    start = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(f"{order}IH", 8, len(tags))
    content = b"Exif\0\0" + start + entries
    return before + b"\xff\xe1" + struct.pack(">H", len(content) + 2) + content


@pytest.mark.parametrize("order", ["<", ">"])
def test_both_byte_orders_behind_another_segment(order):
    before = b"\xff\xe1" + struct.pack(">H", 31) + b"http://ns.adobe.com/xap/1.0/\0"
    with_exif = b"\xff\xd8" + segment(order, [(0x0100, 7), (0x0112, 6)], before)
    assert int(orientation(with_exif)) == 6


def chunk(kind, content, size=None):
    return struct.pack(">I", len(content) if size is None else size) + kind + content + b"\0" * 4


SIGNATURE = b"\x89PNG\r\n\x1a\n"
TIFF = segment("<", [(0x0112, 6)])[10:]


def test_a_png_file_may_have_other_chunks_before():
    content = SIGNATURE + chunk(b"IHDR", b"\0" * 13) + chunk(b"tEXt", b"eXIf")
    assert int(orientation(content + chunk(b"eXIf", TIFF))) == 6


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xd8",
        b"\xff\xd8\xff\xe1",
        b"\xff\xd8" + segment("<", [(0x0112, 9)]),
        b"\xff\xd8" + segment("<", [(0x0100, 6)]),
        b"\xff\xd8" + segment("<", []),
        b"\xff\xd8" + segment("<", [(0x0112, 6)]).replace(b"Exif", b"Exaf"),
        b"\xff\xd8" + segment("<", [(0x0112, 6)])[:20] + b"\xff" * 7,
        b"\xff\xd8" + segment("<", [(0x0112, 6)]).replace(struct.pack("<I", 8), b"\xff" * 4),
        tf.io.encode_png(PIXELS).numpy(),
        SIGNATURE,
        SIGNATURE + chunk(b"eXIf", TIFF)[:20],
        *(SIGNATURE + chunk(b"tEXt", b"", n) + chunk(b"eXIf", TIFF) for n in (2**32 - 12, 2**31)),
    ],
)
def test_other_files_are_upright(content):
    assert int(orientation(content)) == 1


def test_sizes_are_those_of_the_upright_photo(tmp_path):
    (tmp_path / "a.jpg").write_bytes(photo(6))
    assert check_files([tmp_path / "a.jpg"]) == [(5, 7, 3)]
