"""Checks of the generation options that a command is given."""

from typing import TYPE_CHECKING, Any

from zoo.cli.console import refuse_alone
from zoo.errors import UserError
from zoo.option_names import spelled
from zoo.options import names_of

if TYPE_CHECKING:
    from zoo.tasks.task import Task

NEEDS = {"top_k": "temperature", "top_p": "temperature"}


def check_generation(task: "Task", generation: dict[str, Any], candidates: bool = False) -> None:
    """Refuses generation options for tasks that do not generate, and options without effect."""
    known = names_of(task.parts.answer.options)
    for name in generation:
        if name not in known:
            raise UserError(f"{task.name} has no option {spelled(name)}")
    needs = NEEDS if candidates else NEEDS | {"length_penalty": "beams"}
    refuse_alone(generation, {name: other for name, other in needs.items() if other in known})
