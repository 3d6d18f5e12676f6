"""The examples that a task read last, which it uses again while their files do not change."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from zoo.data.examples import Examples
from zoo.tasks.provenance import digests, file_names


@dataclass(frozen=True)
class LastRead:
    """Examples, and the files and settings that they were read with.

    Args:
        examples: The examples.
        names: The absolute paths of the data.
        settings: The settings after the task was adapted, which decide how files are read.
        states: The time of change and the size of each file, by name.
    """

    examples: Examples
    names: Any  # as of `file_names`
    settings: dict[str, Any]
    states: dict[str, str]

    @classmethod
    def of(cls, data: Any, examples: Examples, settings: dict[str, Any]) -> Self | None:
        """What was read of files, with their state; None of data in memory, which may change."""
        names = file_names(data)
        return None if names is None else cls(examples, names, settings, _states(data, examples))

    def is_still(self, data: Any, settings: dict[str, Any]) -> bool:
        """Whether these examples are what data would be read to now."""
        same = (file_names(data), settings) == (self.names, self.settings)
        return same and self.states == _states(data, self.examples)


def _states(data: Any, examples: Examples) -> dict[str, str]:
    """The states of the files of data, and of those that they name."""
    named = {str(path): _state(path) for path in examples.files}
    return {**digests(data, examples.files, _state), **named}


def _state(path: Path) -> str:
    if not path.exists():
        return "missing"
    status = path.stat()
    return f"{status.st_ino} {status.st_mtime_ns} {status.st_size}"
