"""The size of an encoded image, from its header, before anything is decoded."""

import struct
from pathlib import Path
from typing import IO, NamedTuple

from zoo.data.readers.files import opened

MAX_PIXELS = 1 << 26  # of one image; a small file may declare far more
PNG, JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8"
PNG_CHANNELS = {0: 1, 2: 3, 3: 3, 4: 1, 6: 3}  # of each color type, without transparency
FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}  # markers of JPEG with the size
ALONE = {0x01, *range(0xD0, 0xD9)}  # markers without content


class Shape(NamedTuple):
    """Height, width and number of channels of an image."""

    height: int
    width: int
    channels: int


def read_header(path: Path) -> Shape:
    """The shape of a PNG or JPEG file; gray images have one channel, all others three.

    Raises:
        ValueError: If it is neither, is cut off, or declares no pixels or more than `MAX_PIXELS`.
        UserError: If the file is missing or cannot be read.
    """
    with opened(path) as file:
        return header_in(file)


def header_in(file: IO[bytes]) -> Shape:
    """The shape of an open PNG or JPEG file, as `read_header`.

    Raises:
        ValueError: As `read_header`.

    Example:
        >>> import io
        >>> header_in(io.BytesIO(b"GIF89a"))
        Traceback (most recent call last):
        ...
        ValueError: it is no PNG, JPEG, WebP, GIF, BMP or TIFF file
    """
    try:
        shape = _shape(file)
    except struct.error:
        raise ValueError("the file is cut off") from None
    check_size(shape.width, shape.height)
    return shape


def check_size(width: int, height: int) -> None:
    """Raises a `ValueError` if an image declares no pixels, or more than `MAX_PIXELS`."""
    if not 0 < height * width <= MAX_PIXELS:
        size = f"{width:,} x {height:,}"
        raise ValueError(f"it declares {size} pixels; expected 1 to {MAX_PIXELS:,} pixels")


def _shape(file: IO[bytes]) -> Shape:
    start = file.read(len(PNG))
    if start == PNG:
        kind, width, height, color = struct.unpack(">4x4sII1xB", file.read(18))
        if kind != b"IHDR" or color not in PNG_CHANNELS:
            raise ValueError("its PNG header is damaged")
        return Shape(height, width, PNG_CHANNELS[color])
    if start.startswith(JPEG):
        file.seek(len(JPEG))
        return _jpeg(file)
    raise ValueError("it is no PNG, JPEG, WebP, GIF, BMP or TIFF file")


def _jpeg(file: IO[bytes]) -> Shape:
    """Walks over the segments to the frame header."""
    while True:
        begin, marker = struct.unpack("BB", file.read(2))
        while marker == 0xFF:  # fill bytes
            (marker,) = struct.unpack("B", file.read(1))
        if begin != 0xFF or marker == 0xD9:
            raise ValueError("its JPEG header is damaged")
        if marker in ALONE:
            continue
        (length,) = struct.unpack(">H", file.read(2))
        if marker in FRAMES:
            height, width, components = struct.unpack(">xHHB", file.read(6))
            return Shape(height, width, 1 if components == 1 else 3)
        file.seek(max(0, length - 2), 1)
