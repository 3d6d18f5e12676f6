"""Parts of tasks are put together, and do not inherit from one another."""

import importlib
import inspect
import pkgutil
from typing import Protocol

import zoo

LEVELS = 2  # a class and one base, such as an interface and what implements it


def classes_of(package):
    module = importlib.import_module(package)
    names = [each.name for each in pkgutil.walk_packages(module.__path__, f"{package}.")]
    for name in names:
        for _, kind in inspect.getmembers(importlib.import_module(name), inspect.isclass):
            if kind.__module__ == name and Protocol not in kind.__bases__:
                yield kind


def levels(kind):
    own = [base for base in kind.__bases__ if base.__module__.partition(".")[0] == zoo.__name__]
    return 1 + max(map(levels, own), default=0)


def test_classes_of_tasks_have_at_most_two_levels():
    actual = list(classes_of("zoo.tasks"))
    assert len(actual) > 100
    assert [each.__qualname__ for each in actual if levels(each) > LEVELS] == []
