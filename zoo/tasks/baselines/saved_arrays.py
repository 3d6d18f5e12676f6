"""Files of baselines in a run folder: JSON, or arrays without pickled objects."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from zoo.atomic import replacing
from zoo.data.readers.npz import read_arrays
from zoo.errors import UserError, damage
from zoo.json_file import read_json

B = TypeVar("B")

FILE, JSON_FILE = "baseline.npz", "baseline.json"


class SavedArrays:
    """What a baseline learned, kept as arrays in a file of the run folder."""

    file: ClassVar[str] = FILE

    @property
    def arrays(self) -> dict[str, Any]:
        """All that was learned, by name; by default the attributes."""
        return {**vars(self)}

    @classmethod
    def of_arrays(cls, arrays: dict[str, Any]) -> Self:
        """The same from its `arrays`; raises an exception if they do not fit together."""
        return cls(**arrays)

    def save(self, folder: Path) -> None:
        """Writes it to a run folder."""
        save_arrays(folder / self.file, **self.arrays)

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """What `save` wrote to a run folder, or None if there is none.

        Raises:
            UserError: If the file is damaged.
        """
        return load_arrays(folder / cls.file, cls.of_arrays)


def load_json(folder: Path, make: Callable[[dict[str, Any]], B]) -> B | None:
    """What a function makes of the JSON file of a run folder; None if there is no file.

    Args:
        folder: The run folder.
        make: The function. It raises an exception if values are missing or of other types.

    Raises:
        UserError: If the file is damaged.
    """
    path = folder / JSON_FILE
    if not path.exists():
        return None
    with damage(path):
        return make(read_json(path, dict))
    return None


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
