"""A target: files that are right, and what reads them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zoo.errors import UserError


@dataclass(frozen=True)
class Target:
    """Files and the function that reads them.

    Args:
        make: Writes valid files to an empty folder.
        read: Reads the changed file, whose path it gets.
        changed: Patterns of the files that are changed.
        errors: Exceptions that it may raise: those that its documentation lists.
        slow: Whether it builds a model, so that an input takes a large part of a second.
    """

    make: Callable[[Path], Any]
    read: Callable[[Path], Any]
    changed: tuple[str, ...] = ("**/*",)
    errors: tuple[type[Exception], ...] = (UserError,)
    slow: bool = False

    def files(self, folder: Path) -> list[str]:
        """The names of the files that are changed."""
        actual = {path for pattern in self.changed for path in folder.glob(pattern)}
        return sorted(path.relative_to(folder).as_posix() for path in actual if path.is_file())
