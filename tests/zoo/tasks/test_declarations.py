"""A task is a declaration of four parts: its class changes nothing of what `Task` does."""

import inspect
from pathlib import Path

import pytest

from zoo.registry import TASKS
from zoo.tasks.load import task_class
from zoo.tasks.parts import Answer, Format, Input, Parts, Recipe
from zoo.tasks.task import Task

LINES = 100
# What has its own options or its own docstring, and hands over to the same of `Task`.
PUBLIC = {"compare", "evaluate", "predict_named"}


@pytest.mark.parametrize("name", TASKS)
def test_a_task_declares_its_parts_and_overrides_nothing(name):
    kind = task_class(name)
    assert kind.__bases__ == (Task,)
    own = {key for key, value in vars(kind).items() if inspect.isfunction(value)}
    assert own & set(dir(Task)) <= PUBLIC
    assert len(Path(inspect.getfile(kind)).read_text("utf-8").splitlines()) <= LINES


@pytest.mark.parametrize("name", TASKS)
def test_the_parts_are_those_of_the_interfaces(name):
    parts = task_class(name).parts
    assert isinstance(parts, Parts) and parts.purpose.endswith(".")
    for part, interface in (
        (parts.format, Format),
        (parts.input, Input),
        (parts.answer, Answer),
        (parts.recipe, Recipe),
    ):
        assert isinstance(part, interface)
        assert len(type(part).__mro__) - len(interface.__mro__) <= 4, "compose, do not inherit"
