"""The format of data that a function reads into memory."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic

from zoo.tasks.parts import Format
from zoo.tasks.parts.kinds import E, P, S


@dataclass(frozen=True)
class InMemoryFormat(Format[S, P, E], Generic[S, P, E]):
    """Data that a function reads into memory.

    Args:
        function: Function to examples from data, settings and, if data are read like those that a
            task learned from, its preprocessor.
        to_evaluate: Function from settings to those with which data to evaluate are read.
    """

    function: Callable[[Any, S, P | None], E]
    to_evaluate: Callable[[S], S] = field(default=lambda settings: settings)

    def read(self, data: Any, settings: S, learned: P | None) -> E:
        return self.function(data, settings, learned)

    def read_to_evaluate(self, data: Any, settings: S, learned: P | None) -> E:
        return self.function(data, self.to_evaluate(settings), learned)
