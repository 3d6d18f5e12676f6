"""Groups of options that several models share, each of which is given as an option of its own."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from zoo.limits import check


@dataclass(frozen=True)
class OptionGroup:
    """Base class of the options that models share: a frozen dataclass whose fields have limits.

    A model takes the group as one argument, whose default holds the defaults of that model.
    `zoo.create_model`, the tasks, the command line and configs have the options one by one.

    Raises:
        UserError: If an option has another type, or is beyond its limits.

    Example:
        >>> @dataclass(frozen=True)
        ... class Sizes(OptionGroup):
        ...     width: int = 8
        >>> Sizes(width="9")
        Traceback (most recent call last):
        zoo.errors.UserError: width must be an integer, got '9'
    """

    def __post_init__(self) -> None:
        values = vars(self)
        for each in fields(self):
            check(each.name, values[each.name], each.type)

    def names(self) -> list[str]:
        """The names of the options."""
        return [each.name for each in fields(self)]

    def parameters(self) -> dict[str, inspect.Parameter]:
        """The options by name, as arguments of a function; the values are their defaults."""
        values, kind = vars(self), inspect.Parameter.KEYWORD_ONLY
        return {
            each.name: inspect.Parameter(
                each.name, kind, default=values[each.name], annotation=each.type
            )
            for each in fields(self)
        }


def parameters(model: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The options of a class or function by name, those of groups one by one.

    Example:
        >>> def model(width: int, group: OptionGroup = OptionGroup(), **kwargs): ...
        >>> list(parameters(model))
        ['width']
    """
    options: dict[str, inspect.Parameter] = {}
    for name, each in inspect.signature(model).parameters.items():
        if isinstance(each.default, OptionGroup):
            options |= each.default.parameters()
        elif each.kind is not each.VAR_KEYWORD:
            options[name] = each
    return options


def arguments(model: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a class or function: options, those of groups together.

    Args:
        model: The class or function.
        options: The options by name; those that are missing keep their defaults.

    Raises:
        UserError: If options of a group do not go together.

    Example:
        >>> def model(width: int, group: OptionGroup = OptionGroup(), **kwargs): ...
        >>> arguments(model, {"width": 5})
        {'width': 5, 'group': OptionGroup()}
    """
    rest = dict(options)
    for name, each in inspect.signature(model).parameters.items():
        if isinstance(each.default, OptionGroup) and name not in rest:
            given = {key: rest.pop(key) for key in each.default.names() if key in rest}
            rest[name] = replace(each.default, **given)
    return rest
