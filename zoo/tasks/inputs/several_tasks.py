"""Inputs of several tasks as the raw inputs of one encoder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from zoo.data.several_tasks import ExamplesOfTasks
from zoo.errors import UserError
from zoo.tasks.inputs.raw_texts import RawTexts
from zoo.tasks.kinds import Kinds
from zoo.tasks.options.multi_task import Settings


@dataclass(frozen=True)
class InputsOfTasks(RawTexts[Settings, ExamplesOfTasks]):
    """Inputs of one of several tasks, each with its name before it.

    Args:
        kinds: The kinds of tasks.
    """

    kinds: Kinds

    def raw(self, data: Any, settings: Settings) -> dict[str, Sequence[Any]]:
        names = {name for name, _ in data}
        if len(names) != 1:
            raise UserError(f"the inputs must be of one task, got {', '.join(sorted(names))}")
        member = self.kinds.member(settings, names.pop())
        raw: dict[str, Sequence[Any]] = member.parts.input.raw(
            [each for _, each in data], member.settings, None
        )
        return raw
