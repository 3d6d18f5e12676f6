"""A digest in a weights file, which shows whether its weights were changed."""

import hashlib
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from zoo.training.hdf5 import open_hdf5

SEAL = "sha256"  # attribute of the file


def seal(path: Path) -> None:
    """Adds the digest of its weights to a file."""
    with h5py.File(path, "r+") as file:
        file.attrs[SEAL] = _digest(file)


def is_intact(path: Path) -> bool:
    """Whether a file has the weights that it was sealed with, or was not sealed.

    Raises:
        OSError: If it is no HDF5 file.
        ValueError: If it is no regular file.
    """
    with open_hdf5(path) as file:
        return SEAL not in file.attrs or bool(file.attrs[SEAL] == _digest(file))


def _digest(file: h5py.File) -> str:
    """The SHA-256 digest of all arrays in a file, with their names, types and shapes."""
    total = hashlib.sha256()

    def add(name: str, each: Any) -> None:
        if isinstance(each, h5py.Dataset):
            array = np.ascontiguousarray(each)
            total.update(f"{name} {array.dtype} {array.shape}\0".encode())
            total.update(array.tobytes())

    file.visititems(add)
    return total.hexdigest()
