"""Command-line options derived from the dataclasses that declare options."""

import inspect
import json
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from types import NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from typer import Option

from zoo.errors import UserError
from zoo.options import Options


def parameters(
    options: type[Options], only: Iterable[str] | None = None, skip: Sequence[str] = ()
) -> list[inspect.Parameter]:
    """A command-line option for each field, in the panel that its `group` names.

    Values are None unless they are given, so that defaults stay where they are declared.

    Args:
        options: The dataclass.
        only: Names of the fields to take; default all.
        skip: Names of fields to leave out.
    """
    hints, defaults = get_type_hints(options), options.defaults()
    names = options.names() if only is None else only
    return [
        _parameter(name, hints[name], defaults[name], options) for name in names if name not in skip
    ]


def _parameter(name: str, hint: Any, default: Any, options: type[Options]) -> inspect.Parameter:
    facts, kinds = options.facts(name), _kinds(hint)
    spelling = f"--{name.replace('_', '-')}"
    if kinds == [bool]:
        spelling += f"/--no-{name.replace('_', '-')}"
    metavar = None
    if dict in kinds:
        metavar = "NAME=VALUE"
    elif facts["choices"] and str in kinds:
        metavar = "|".join([*(["true", "false"] if bool in kinds else []), *facts["choices"]])
    repeated = dict in kinds or list in kinds
    option = Option(
        spelling,
        help=facts["help"] + _shown(default) + (" Repeatable." if repeated else ""),
        metavar=metavar,
        rich_help_panel=facts["group"] or None,
        show_default=False,
    )
    kind: Any = list[str] if repeated else str if str in kinds else kinds[0]
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind | None, option],
    )


def _kinds(hint: Any) -> list[Any]:
    types = get_args(hint) if get_origin(hint) is UnionType else (hint,)
    return [get_origin(each) or each for each in types if each is not NoneType]


def _shown(default: Any) -> str:
    if default is None or default in ([], {}):
        return ""
    if isinstance(default, list):
        return f" Default: {', '.join(map(str, default))}."
    return f" Default: {str(default).lower() if isinstance(default, bool) else default}."


def takes(
    argument: str, *derived: inspect.Parameter
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Gives a command further options, whose values it gets as one dictionary.

    Args:
        argument: Name of the command's argument that takes the values that are given.
        *derived: The options.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        own = inspect.signature(function, eval_str=True).parameters.values()
        names = [each.name for each in derived]

        @wraps(function)
        def command(**values: Any) -> Any:
            given = {name: values.pop(name) for name in names}
            chosen = {name: value for name, value in given.items() if value not in (None, [])}
            return function(**values, **{argument: chosen})

        kept = [p.replace(kind=p.KEYWORD_ONLY) for p in own if p.name != argument]
        last = [each for each in kept if each.name == "json"]  # stands at the end of each help
        every = [*(each for each in kept if each.name != "json"), *derived, *last]
        command.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
        command.__annotations__ = {each.name: each.annotation for each in every}
        return command

    return decorate


def parsed(options: type[Options], given: dict[str, Any]) -> dict[str, Any]:
    """Values of the command line as the options want them: tables from NAME=VALUE, booleans.

    Raises:
        UserError: If a table's entry is not NAME=VALUE.
    """
    hints = get_type_hints(options)
    return {name: _parsed(name, value, _kinds(hints[name])) for name, value in given.items()}


def _parsed(name: str, value: Any, kinds: list[Any]) -> Any:
    if dict in kinds:
        return dict(name_and_value(f"--{name.replace('_', '-')}", text) for text in value)
    if bool in kinds and value in ("true", "false"):
        return value == "true"
    return value


def name_and_value(option: str, text: str) -> tuple[str, Any]:
    """`hidden_dim=256` or `score=dot`: a number, true, false, a JSON list, or text.

    Args:
        option: The option, for messages.
        text: What was given for it.

    Raises:
        UserError: If there is no name, or no value.
    """
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise UserError(f"{option} expects NAME=VALUE, got {text!r}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
