"""The options of a model in words, from the docstrings of its classes."""

import inspect
import re
from dataclasses import dataclass
from typing import Any

from zoo.models.arguments import is_from_task
from zoo.models.option_groups import OptionGroup
from zoo.models.options import model_row
from zoo.registry_rows import resolve

SET_BY_TASKS = ("name", "dtype")


@dataclass(frozen=True)
class DescribedOption:
    """An option of a model.

    Args:
        name: Its name.
        default: Its default, or None.
        about: What it is.
    """

    name: str
    default: Any
    about: str


def describe_options(model: str) -> list[DescribedOption]:
    """The options of a model that users of a task can set, those of all of its tasks.

    Args:
        model: Name of the model.

    Raises:
        UserError: If there is no such model; the message lists the choices.

    Example:
        >>> describe_options("llama")[0]
        DescribedOption(name='num_layers', default=32, about='Number of blocks N.')
    """
    row = model_row(model)
    paths = [path for path in (row.backbone, *row.tasks.values()) if path is not None]
    described: dict[str, DescribedOption] = {}
    for path in paths:
        described |= _of_class(resolve(path))
    return list(described.values())


def _of_class(model: type) -> dict[str, DescribedOption]:
    about = arguments_of(model.__doc__ or "")
    options: dict[str, DescribedOption] = {}
    for name, each in inspect.signature(model).parameters.items():
        if isinstance(each.default, OptionGroup):
            words = arguments_of(type(each.default).__doc__ or "")
            for key, option in each.default.parameters().items():
                options[key] = DescribedOption(key, option.default, words.get(key, ""))
        elif each.default is not each.empty and name not in SET_BY_TASKS:
            if not is_from_task(each.annotation):
                options[name] = DescribedOption(name, each.default, about.get(name, ""))
    return options


def arguments_of(docstring: str) -> dict[str, str]:
    """The descriptions of arguments in a docstring, by name, without line breaks.

    Example:
        >>> arguments_of("Adds.\\n\\nArgs:\\n    x: A\\n        number.\\n\\nOutputs: y.")
        {'x': 'A number.'}
    """
    section = re.search(r"^Args:\n((?: .*\n|\n)*)", inspect.cleandoc(docstring) + "\n", re.M)
    items = re.findall(r"^    (\w+): (.*(?:\n     +.*)*)", section[1] if section else "", re.M)
    return {name: " ".join(text.split()) for name, text in items}
