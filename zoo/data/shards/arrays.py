"""Arrays on the disk: `.npy` files of one axis, which are never read as a whole."""

import stat
from pathlib import Path

import numpy as np

from export.files import sync
from zoo.errors import UserError
from zoo.untrusted import open_regular

LONGEST_HEADER = 1000  # bytes


def ids_type(vocabulary_size: int) -> np.dtype:
    """The data type of token ids on the disk: 16 bits, if they are enough."""
    return np.dtype("uint16" if vocabulary_size <= 1 << 16 else "int32")


def write_array(path: Path, array: np.ndarray) -> None:
    """Writes an array, and waits until it is on the disk.

    NumPy's own function reports a full disk without the reason.
    """
    array = np.ascontiguousarray(array)
    with open(path, "wb") as file:
        header = np.lib.format.header_data_from_array_1_0(array)
        np.lib.format.write_array_header_1_0(file, header)
        file.write(array.data.cast("B") if array.size else b"")
    sync(path)


def map_array(path: Path, dtypes: tuple[str, ...], count: int) -> np.ndarray:
    """Maps a file to memory. Its pages are read when they are needed, and may be freed.

    Args:
        path: The file, which may come from someone else.
        dtypes: The data types that it may have.
        count: Its number of elements.

    Raises:
        UserError: If it is anything but a plain file with such an array.
    """
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise ValueError("it is not a regular file")
        with open_regular(path) as file:
            if np.lib.format.read_magic(file) != (1, 0):
                raise ValueError("it has another version")
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(
                file, max_header_size=LONGEST_HEADER
            )
            begin = file.tell()
        if dtype.str[1:] not in [np.dtype(each).str[1:] for each in dtypes] or dtype.hasobject:
            raise ValueError(f"its type is {dtype}, expected {' or '.join(dtypes)}")
        if fortran or shape != (count,):
            raise ValueError(f"its shape is {shape}, expected ({count},)")
        if path.stat().st_size != begin + count * dtype.itemsize:
            raise ValueError("it is cut off, or too long")
        if not count:
            return np.zeros(0, dtype)
        return np.asarray(np.memmap(path, dtype, "r", begin, shape))
    except Exception as error:  # a damaged header raises anything
        raise damaged(path, error) from None


def damaged(path: Path, reason: object) -> UserError:
    """The error for a file of shards that is not as it was written."""
    return UserError(f"{path} is damaged ({reason}): restore it, or prepare the data again")
