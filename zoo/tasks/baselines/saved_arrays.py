"""Files of baselines: arrays in a run folder, without pickled objects."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from zoo.atomic import replacing
from zoo.data.readers.npz import read_arrays
from zoo.errors import UserError

B = TypeVar("B")


def save_arrays(path: Path, **arrays: Any) -> None:
    """Writes arrays to an `.npz` file, in one step."""
    with replacing(path) as partial:
        np.savez_compressed(partial, **arrays)


def load_arrays(path: Path, make: Callable[[dict[str, Any]], B]) -> B | None:
    """What a function makes of the arrays of a file; None if there is no file.

    Args:
        path: The file that `save_arrays` wrote.
        make: The function. It raises an exception if arrays are missing or do not fit together.

    Raises:
        UserError: If the file is damaged.
    """
    if not path.exists():
        return None
    try:
        return make(read_arrays(path))
    except Exception as error:
        raise UserError(f"{path} is damaged ({error}): delete it, or train again.") from None
