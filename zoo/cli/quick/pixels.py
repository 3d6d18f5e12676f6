"""The pixels of PNG and JPEG images, as TensorFlow decodes and resizes them."""

import io
from pathlib import Path

import numpy as np

from zoo.cli.quick.texts import NotServed
from zoo.data.images.content import content_of, shape_of
from zoo.data.images.header import Shape
from zoo.data_statistics import Statistics, record

ORIENTATION, UPRIGHT = 0x0112, 1  # a tag of EXIF data


def pixels_of(path: Path, shape: Shape) -> np.ndarray:
    """An image in the size of a model, as `zoo.preprocessing.images` has it.

    Args:
        path: The file.
        shape: Height, width and channels of the model.

    Returns:
        float32 array (H, W, C) with numbers from 0 to 255.

    Raises:
        NotServed: If the numbers may be others than TensorFlow's, those of colors as gray and of 16
            bits; or if the file cannot be read.
    """
    try:
        shape_of(path)  # raises for what is too large
        image = _decoded(content_of(path), shape.channels)
    except NotServed:
        raise
    except (OSError, ValueError, SyntaxError) as error:  # Pillow raises the last for a broken file
        raise NotServed(error) from None
    if resized := image.shape[:2] != shape[:2]:
        image = resize(image, shape)
    record(Statistics({f"images resized to {shape.width}x{shape.height}": int(resized)}))
    return image


def _decoded(content: bytes, channels: int) -> np.ndarray:
    from PIL import Image

    with Image.open(io.BytesIO(content), formats=["PNG", "JPEG"]) as image:
        gray = image.mode in ("1", "L", "LA")
        if image.mode not in ("1", "L", "LA", "P", "RGB", "RGBA") or (channels == 1 and not gray):
            raise NotServed(f"a {image.format} file of the mode {image.mode}")
        if image.getexif().get(ORIENTATION, UPRIGHT) != UPRIGHT:
            raise NotServed("an image that is turned")
        pixels = np.asarray(image.convert("L" if channels == 1 else "RGB"), np.float32)
    return pixels.reshape(*pixels.shape[:2], channels)


def resize(image: np.ndarray, shape: Shape) -> np.ndarray:
    """An image in another size, with the mean of the pixels that fall together.

    Source: `tf.image.resize` with `antialias`, and Pillow: a triangle filter as wide as the scale.

    Args:
        image: float32 array (h, w, C).
        shape: Height, width and channels of the result.

    Returns:
        float32 array (H, W, C).

    Example:
        >>> resize(np.array([[[0.0], [2.0]]], "float32"), Shape(1, 4, 1)).ravel().tolist()
        [0.0, 0.5, 1.5, 2.0]
    """
    rows = _weights(image.shape[0], shape.height) @ image.reshape(image.shape[0], -1)
    rows = rows.reshape(shape.height, *image.shape[1:])
    return np.asarray(_weights(image.shape[1], shape.width) @ rows, np.float32)


def _weights(size: int, target: int) -> np.ndarray:
    """What each old pixel adds to each new one, (target, size)."""
    scale = size / target
    centers = (np.arange(target) + 0.5)[:, None] * scale
    distances = np.abs(np.arange(size) + 0.5 - centers) / max(scale, 1)
    weights = np.maximum(0, 1 - distances)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)
