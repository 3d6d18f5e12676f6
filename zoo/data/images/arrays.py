"""Images in arrays: of `.npz` files, or of a program."""

from pathlib import Path
from typing import Any

import numpy as np

from zoo.data.readers.npz import first_of, read_arrays
from zoo.errors import UserError

# The names under which images and labels are found, in this order.
IMAGES, LABELS, CLASSES = ("images", "x", "x_train"), ("labels", "y", "y_train"), "classes"


def read_npz(path: Path) -> tuple[list[np.ndarray], list[str]]:
    """The images of a file and their labels.

    `images` are (N, H, W) or (N, H, W, C), `labels` (N) are names or numbers. If there are
    `classes`, labels are numbers of their names.

    Raises:
        UserError: If an array is missing, or they do not fit together.
    """
    images, arrays = read_npz_images(path)
    labels = first_of(LABELS, arrays, path)
    if labels.shape != (len(images),):
        raise UserError(f"{path}: expected labels ({len(images)},), got {labels.shape}")
    if CLASSES in arrays and labels.dtype.kind in "iu":
        names = arrays[CLASSES].ravel()
        if len(labels) and not 0 <= labels.min() <= labels.max() < len(names):
            raise UserError(f"{path} has labels that are not numbers of its {len(names)} classes")
        labels = names[labels]
    return images, labels.astype(str).tolist()


def read_npz_images(path: Path) -> tuple[list[np.ndarray], dict[str, np.ndarray]]:
    """The images of a file, and all of its arrays.

    Raises:
        UserError: If it has no images, or they have another shape than `read_npz` says.
    """
    arrays = read_arrays(path)
    images = first_of(IMAGES, arrays, path)
    if images.ndim not in (3, 4):
        raise UserError(f"{path}: expected images (N, H, W) or (N, H, W, C), got {images.shape}")
    return [as_pixels(image, str(path)) for image in images], arrays


def as_pixels(image: Any, what: str) -> np.ndarray:
    """An image as an array (H, W, C) of bytes, or of float32 from 0 to 255.

    Args:
        image: Array (H, W), (H, W, 1), (H, W, 3), or (H, W, 4) of which the last is transparency.
        what: What it belongs to, for the error message.

    Raises:
        UserError: If it has another shape, or numbers that are not from 0 to 255.

    Example:
        >>> as_pixels([[0, 255]], "a").shape
        (1, 2, 1)
        >>> as_pixels([[0, 256]], "a")
        Traceback (most recent call last):
        zoo.errors.UserError: a: pixels must be numbers from 0 to 255
    """
    try:
        pixels = np.asarray(image)
    except ValueError:
        pixels = np.empty(0)
    if pixels.ndim == 2:
        pixels = pixels[:, :, None]
    if pixels.ndim != 3 or pixels.shape[2] not in (1, 3, 4) or not pixels.size:
        raise UserError(f"{what}: an image must be (H, W) or (H, W, C), got {pixels.shape}")
    pixels = pixels[:, :, :3]
    if pixels.dtype == np.uint8:
        return pixels
    if pixels.dtype.kind not in "iufb" or not (pixels >= 0).all() or not (pixels <= 255).all():
        raise UserError(f"{what}: pixels must be numbers from 0 to 255")
    return pixels.astype("float32")
