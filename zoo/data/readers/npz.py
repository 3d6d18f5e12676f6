"""`.npz` files, which may come from someone else: without pickles, and of a size that fits."""

import zipfile
from pathlib import Path

import numpy as np

from zoo.data.readers.files import opened
from zoo.errors import UserError

MAX_BYTES = 1 << 33  # of all arrays together


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a file by name.

    Raises:
        UserError: If the file is missing, damaged or too large, or has pickled objects.
    """
    with opened(path):  # for the same error messages about missing files
        pass
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(each.file_size for each in archive.infolist())
        if size > MAX_BYTES:
            raise UserError(f"{path} has arrays of more than {MAX_BYTES >> 30} GB")
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except UserError:
        raise
    except Exception as error:  # a damaged file raises anything
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise UserError(f"{path} is not an .npz file of numbers: {reason}") from None
