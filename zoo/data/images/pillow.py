"""WebP, GIF, BMP and TIFF images, which Pillow reads."""

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from zoo.data.images.header import MAX_PIXELS, Shape, check_size

FORMATS = ("WEBP", "GIF", "BMP", "TIFF")
STARTS = (b"RIFF", b"GIF8", b"BM", b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")  # last BigTIFF
GRAY = ("1", "L", "LA", "La", "I;16", "I;16L", "I;16B")
COLORS = ("P", "PA", "RGB", "RGBA", "RGBa", "RGBX", "CMYK", "YCbCr", "LAB", "HSV")


def is_for_pillow(start: bytes) -> bool:
    """Whether a file that starts so may have one of these formats.

    Example:
        >>> is_for_pillow(b"GIF89a"), is_for_pillow(b"\\x89PNG")
        (True, False)
    """
    return start.startswith(STARTS)


def pillow_shape(file: IO[bytes]) -> Shape:
    """The shape of an image as it is stored, from its header; of an animation, its first frame.

    Raises:
        ValueError: If it is damaged, has numbers that are no pixels, or more than `MAX_PIXELS`.
    """
    with _opened(file) as image:
        return Shape(image.height, image.width, 1 if image.mode in GRAY else 3)


def as_png(file: IO[bytes]) -> bytes:
    """An image as a PNG file: its first frame, upright, without transparency.

    Colors of CMYK become RGB, and of 16 bits the upper 8 are kept.

    Raises:
        ValueError: See `pillow_shape`.
    """
    from PIL import Image, ImageOps

    with _opened(file) as image:
        upright = ImageOps.exif_transpose(image)
        if upright.mode.startswith("I;16"):
            import numpy as np

            upright = Image.fromarray((np.asarray(upright) >> 8).astype(np.uint8))
        upright = upright.convert("L" if image.mode in GRAY else "RGB")
        stream = io.BytesIO()
        upright.save(stream, "png", compress_level=1)
        return stream.getvalue()


@contextmanager
def _opened(file: IO[bytes]) -> Iterator[Any]:
    """Opens an image whose size is checked before anything is decoded."""
    from PIL import Image

    check_size(*_webp_size(file))  # Pillow has room for two frames of it as soon as it is opened
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of damaged metadata; the size is checked here
            with Image.open(file, formats=FORMATS) as image:
                check_size(*image.size)
                if image.mode not in GRAY + COLORS:
                    raise ValueError(f"its pixels are of type {image.mode}; expected 8 or 16 bits")
                yield image
    except ValueError:
        raise
    except Image.DecompressionBombError:
        raise ValueError(f"it declares more than {MAX_PIXELS:,} pixels") from None
    except Exception:  # its readers raise many kinds, such as SyntaxError and struct.error
        raise ValueError("it is damaged") from None


def _webp_size(file: IO[bytes]) -> tuple[int, int]:
    """Width and height of a WebP file; 1 and 1 of another.

    Source: RFC 9649, sections 2.7.1, 3.4 and 2.5 (of VP8X, VP8L and VP8).
    """
    start = file.read(30)
    file.seek(0)
    kind, content = start[8:16], start[20:]
    little = int.from_bytes
    if kind == b"WEBPVP8X":
        return little(content[4:7], "little") + 1, little(content[7:10], "little") + 1
    if kind == b"WEBPVP8L":
        bits = little(content[1:5], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"WEBPVP8 ":
        return little(content[6:8], "little") & 0x3FFF, little(content[8:10], "little") & 0x3FFF
    return 1, 1
