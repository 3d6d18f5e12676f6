"""The public names of the packages with their arguments, as the page docs/public-api.txt has them.

python -m docs.public_api    # write the page

A change of this page is a change that users see: it belongs into the changelog, and follows the
deprecation policy of docs/design/releasing.md.
"""

import inspect
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import keras

import export
import keras_attn
import zoo
import zoo.scikit_learn
from zoo.tasks.task import Task

PAGE = Path(__file__).with_name("public-api.txt")
PACKAGES = (keras_attn, zoo, zoo.scikit_learn, export)


def arguments(thing: Any) -> str:
    """The names of the arguments of a function or class, with `=` where there is a default.

    Example:
        >>> def add(one, /, other=0, *more, named, **rest): ...
        >>> arguments(add)
        '(one, other=, *more, named, **rest)'
    """
    if not callable(thing):
        return ""
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    names, named = [], False
    for each in inspect.signature(thing).parameters.values():
        if each.kind is inspect.Parameter.KEYWORD_ONLY and not named:
            names += [] if any(name.startswith("*") for name in names) else ["*"]
            named = True
        default = "" if each.default is inspect.Parameter.empty else "="
        names.append(f"{marks.get(each.kind, '')}{each.name}{default}")
    return f"({', '.join(names)})"


def methods(thing: type) -> list[str]:
    """The public methods and properties that a class itself defines; of a layer, only `call`."""
    own = {name: each for name, each in vars(thing).items() if not name.startswith("_")}
    if issubclass(thing, keras.layers.Layer):
        own = {"call": thing.call} if "call" in own else {}
    return [
        f"{name}{arguments(getattr(thing, name))}" if _is_method(each) else name
        for name, each in sorted(own.items())
        if _is_method(each) or isinstance(each, property)
    ]


def _is_method(thing: Any) -> bool:
    return inspect.isfunction(thing) or isinstance(thing, classmethod | staticmethod)


def lines_of(package: ModuleType) -> list[str]:
    """A line for each public name of a package, and one for each public method of its classes."""
    lines = []
    for name in sorted(package.__all__):
        thing = getattr(package, name)
        whole = f"{package.__name__}.{name}"
        lines.append(f"{whole}{arguments(thing)}")
        if inspect.isclass(thing):
            lines += [f"{whole}.{method}" for method in methods(thing)]
    return lines


def page() -> str:
    """The page; what all tasks have is there once, under `Task`."""
    lines = [line for package in PACKAGES for line in lines_of(package)]
    lines += [f"zoo.tasks.task.Task.{method}" for method in methods(Task)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.exit(0)
