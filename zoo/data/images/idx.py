"""The idx format of MNIST: a header with the sizes, then the bytes of all images or labels."""

import math
import struct
from pathlib import Path

import numpy as np

from zoo.data.readers.files import opened
from zoo.errors import UserError

UBYTE = 0x08  # type of the elements
MAX_BYTES = 1 << 33


def is_idx(path: Path) -> bool:
    """Whether a file has a name like `train-images-idx3-ubyte.gz`.

    Example:
        >>> is_idx(Path("train-labels-idx1-ubyte")), is_idx(Path("train.csv"))
        (True, False)
    """
    return "idx1" in path.name or "idx3" in path.name or "idx4" in path.name


def labels_beside(images: Path) -> Path:
    """The file of the labels, which belongs to a file of images.

    Raises:
        UserError: If there is none.

    Example:
        >>> labels_beside(Path("train-labels-idx1-ubyte"))
        Traceback (most recent call last):
        zoo.errors.UserError: train-labels-idx1-ubyte has labels: name the file of the images
    """
    if "images" not in images.name:
        raise UserError(f"{images} has labels: name the file of the images")
    name = images.name.replace("images", "labels").replace("idx3", "idx1").replace("idx4", "idx1")
    plain = name.removesuffix(".gz")
    for each in (name, plain, f"{plain}.gz"):
        if (path := images.with_name(each)).exists():
            return path
    raise UserError(f"{images} has no file of labels beside it: expected {name}")


def read_idx(path: Path, axes: tuple[int, ...]) -> np.ndarray:
    """Reads an array of bytes.

    Args:
        path: The file, which may be compressed with gzip.
        axes: The numbers of axes that it may have.

    Raises:
        UserError: If it is missing, has other axes or elements, or not the size that it declares.

    Example:
        >>> path = getfixture("tmp_path") / "labels-idx1-ubyte"
        >>> _ = path.write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 3, 7, 2, 5]))
        >>> read_idx(path, axes=(1,)).tolist()
        [7, 2, 5]
    """
    with opened(path) as file:
        start = file.read(4)
        count = start[3] if len(start) == 4 else 0
        if start[:3] != bytes([0, 0, UBYTE]) or count not in axes:
            expected = " or ".join(map(str, axes))
            raise UserError(f"{path} is not an idx file of bytes with {expected} axes")
        header = file.read(4 * count)
        if len(header) < 4 * count:
            raise UserError(f"{path} is cut off in its header")
        shape = struct.unpack(f">{count}I", header)
        size = math.prod(shape)
        if size > MAX_BYTES:
            raise UserError(f"{path} declares {size:,} bytes; expected at most {MAX_BYTES:,}")
        content = bytearray()
        while len(content) <= size and (more := file.read(min(1 << 24, size + 1 - len(content)))):
            content += more
    if len(content) != size:
        size_read = "more" if len(content) > size else f"{len(content):,}"
        raise UserError(f"{path} declares {size:,} bytes after its header, and has {size_read}")
    return np.frombuffer(bytes(content), np.uint8).reshape(shape)
