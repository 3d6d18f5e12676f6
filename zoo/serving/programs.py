"""The compiled programs of a model, each made when it is first used."""

from collections.abc import Callable
from typing import Any, TypeVar

V = TypeVar("V")


class Programs(dict[str, Any]):
    """Programs by name.

    Example:
        >>> programs = Programs()
        >>> programs.kept("double", lambda: lambda x: 2 * x)(3), [*programs]
        (6, ['double'])
    """

    def kept(self, name: str, make: Callable[[], V]) -> V:
        """The program with a name, which is made if there is none."""
        if name not in self:
            self[name] = make()
        program: V = self[name]
        return program
