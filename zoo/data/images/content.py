"""Encoded images of all formats, as PNG or JPEG."""

import os
from pathlib import Path

from zoo.data.images.header import Shape, read_header
from zoo.data.images.pillow import as_png, is_for_pillow, pillow_shape
from zoo.data.readers.files import opened
from zoo.untrusted import read_regular

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff")
FORMATS = "PNG, JPEG, WebP, GIF, BMP or TIFF"
START = 8  # bytes
MAX_BYTES = 1 << 28  # of one file


def image_bytes(path: str | os.PathLike) -> bytes:
    """The content of an image file, as it is stored.

    Raises:
        OSError: If it is missing, or cannot be read.
        ValueError: If it is not a regular file, or too large.
    """
    return read_regular(path, MAX_BYTES)


def is_converted(path: Path) -> bool:
    """Whether a file is converted to be decoded; its name may say something else."""
    with opened(path) as file:
        return is_for_pillow(file.read(START))


def shape_of(path: Path) -> Shape:
    """The shape of an image as it is stored, from its header.

    Raises:
        ValueError: If it is damaged, of another format, or too large.
        UserError: If the file is missing or cannot be read.
    """
    if not is_converted(path):
        return read_header(path)
    with opened(path) as file:
        return pillow_shape(file)


def content_of(path: Path) -> bytes:
    """The bytes of a PNG or JPEG file; of other formats, what they are as PNG, upright.

    Raises:
        ValueError: If an image that is converted is damaged or too large.
        UserError: If the file is missing or cannot be read.
    """
    if not is_converted(path):
        return image_bytes(path)
    with opened(path) as file:
        return as_png(file)
