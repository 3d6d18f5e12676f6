"""`.npz` files, which may come from someone else: without pickles, and of a size that fits."""

import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from zoo.data.readers.files import opened
from zoo.errors import UserError, reason_of
from zoo.untrusted import open_regular

MAX_BYTES = 1 << 33  # of all arrays together


def code_points(texts: np.ndarray) -> np.ndarray:
    """The code points of an array of text, which NumPy does not check.

    Example:
        >>> code_points(np.array("aé")).tolist()
        [97, 233]
    """
    native = texts.astype(texts.dtype.newbyteorder("="))
    return np.frombuffer(native.tobytes(), "uint32")


def first_of(names: Sequence[str], arrays: Mapping[str, np.ndarray], path: Path) -> np.ndarray:
    """The first of these arrays that a file has.

    Raises:
        UserError: If it has none of them.
    """
    chosen = next((name for name in names if name in arrays), None)
    if chosen is None:
        raise UserError(f"{path} has no array {names[0]}; its arrays are {', '.join(arrays)}")
    return arrays[chosen]


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a file by name.

    Raises:
        UserError: If the file is missing, damaged or too large, or has pickled objects.
    """
    with opened(path):  # for the same error messages about missing files
        pass
    try:
        with open_regular(path) as file:
            with zipfile.ZipFile(file) as archive:
                size = sum(each.file_size for each in archive.infolist())
            if size > MAX_BYTES:
                raise UserError(f"{path} has arrays of more than {MAX_BYTES >> 30} GB")
            file.seek(0)
            with np.load(file, allow_pickle=False) as arrays:
                by_name = {name: arrays[name] for name in arrays.files}
        for name, array in by_name.items():
            if not isinstance(array, np.ndarray):
                raise ValueError(f"{name!r:.80} is not an array")
            if array.dtype.kind == "S":
                by_name[name] = _decoded(name, array)
            elif array.dtype.kind == "U" and not _is_unicode(code_points(array)):
                raise ValueError(f"{name!r:.80} has text that is not Unicode")
        return by_name
    except UserError:
        raise
    except Exception as error:  # a damaged file raises anything
        raise UserError(f"{path} is not an .npz file of numbers: {reason_of(error)}") from None


def _is_unicode(codes: np.ndarray) -> bool:
    """Whether code points are those of characters, and no halves of surrogate pairs."""
    return bool(((codes < 0xD800) | ((codes > 0xDFFF) & (codes <= sys.maxunicode))).all())


def _decoded(name: str, array: np.ndarray) -> np.ndarray:
    """The texts of an array of bytes."""
    try:
        return np.char.decode(array, "utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{name!r:.80} has text that is not UTF-8") from None
