"""The docstring says where the layer comes from and how to use it, and its example runs."""

import doctest
import inspect
import io
import re
import sys
from typing import Any

LAYER_SECTIONS = ("Source", "Formula", "Args", "Inputs", "Outputs", "Raises", "Example")
OTHER_SECTIONS = ("Source", "Formula", "Args", "Outputs|Returns", "Example")


def sections(thing: Any, expected: tuple[str, ...]) -> None:
    text = inspect.getdoc(thing) or ""
    own = inspect.isfunction(thing) or "__doc__" in vars(thing)
    assert text and own, f"{thing.__name__} has no docstring"
    missing = [name for name in expected if not re.search(rf"^({name}):", text, re.MULTILINE)]
    assert not missing, f"the docstring of {thing.__name__} lacks {', '.join(missing)}"


def layer_sections(thing: Any) -> None:
    """Every section; Args and Raises only where there is an argument to set."""
    takes_arguments = [
        p
        for p in list(inspect.signature(thing.__init__).parameters.values())[1:]
        if p.kind is not p.VAR_KEYWORD
    ]
    without = () if takes_arguments else ("Args", "Raises")
    sections(thing, tuple(name for name in LAYER_SECTIONS if name not in without))


def other_sections(thing: Any) -> None:
    sections(thing, OTHER_SECTIONS)


def example_runs(thing: Any) -> None:
    """Runs the docstring's examples, in the namespace of the module that defines it."""
    namespace = dict(vars(sys.modules[thing.__module__]))
    finder = doctest.DocTestFinder(recurse=False)
    tests = finder.find(thing, thing.__name__, globs=namespace)
    assert sum(len(test.examples) for test in tests), f"{thing.__name__} has no >>> example"
    report = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for test in tests:
        runner.run(test, out=report.write)
    assert not runner.failures, report.getvalue()
