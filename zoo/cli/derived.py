"""Command-line options derived from the dataclasses that declare options."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from types import NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from typer import Option

from zoo.errors import UserError
from zoo.json_file import parse_json
from zoo.options import Options, defaults_of, facts_of, names_of, options_of


def parameters(
    options: type[Options], only: Iterable[str] | None = None, skip: Sequence[str] = ()
) -> list[inspect.Parameter]:
    """A command-line option for each field, in the help panel of its `group`.

    The value of an option that is not given is None; the dataclass has the defaults.

    Args:
        options: The dataclass.
        only: Names of the fields; default all.
        skip: Names of fields to leave out.
    """
    hints, defaults = get_type_hints(options), defaults_of(options)
    names = names_of(options) if only is None else only
    return [
        _parameter(name, hints[name], defaults[name], options) for name in names if name not in skip
    ]


def _parameter(name: str, hint: Any, default: Any, options: type[Options]) -> inspect.Parameter:
    facts, kinds = facts_of(options, name), _kinds(hint)
    spelling = f"--{name.replace('_', '-')}"
    flag = kinds == [bool]
    if flag and default is not False:
        spelling += f"/--no-{name.replace('_', '-')}"
    metavar = None
    if dict in kinds or list in kinds:
        metavar = "NAME=VALUE" if dict in kinds else "TEXT"
    elif facts["limits"].choices and str in kinds:
        metavar = "|".join(
            [*(["true", "false"] if bool in kinds else []), *facts["limits"].choices]
        )
    repeated = dict in kinds or list in kinds
    option = Option(
        spelling,
        help=facts["help"]
        + ("" if flag and not default or "Default:" in facts["help"] else _shown(default))
        + (" Repeatable." if repeated else ""),
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


def panel(parameter: inspect.Parameter) -> str | None:
    """The help panel of an option; None for the first panel."""
    (fact, *_) = getattr(parameter.annotation, "__metadata__", (None,))
    return getattr(fact, "rich_help_panel", None)


def takes(
    argument: str,
    *derived: inspect.Parameter,
    key: Callable[[inspect.Parameter], Any] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds derived options to a command, which receives their values as one dictionary.

    Args:
        argument: Name of the command's argument that receives the values of the options given.
        *derived: The options.
        key: Sort key of the options in the help. If None, their order is kept.
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
        last = [each for each in kept if each.name == "json"]
        every = [*(each for each in kept if each.name != "json"), *derived, *last]
        every = sorted(every, key=key) if key else every
        command.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]  # Typer reads it
        command.__annotations__ = {each.name: each.annotation for each in every}
        return command

    return decorate


def parsed(options: type[Options], given: dict[str, Any]) -> dict[str, Any]:
    """Command-line values converted to the types of the fields, and checked.

    Args:
        options: The dataclass.
        given: Values by name; those of other options are ignored.

    Raises:
        UserError: If a value is not allowed, or the value of a dictionary option is not NAME=VALUE.
    """
    hints, names = get_type_hints(options), [each for each in names_of(options) if each in given]
    values = {name: _parsed(name, given[name], hints[name]) for name in names}
    options_of(options, values)
    return values


def _parsed(name: str, value: Any, hint: Any) -> Any:
    kinds, option = _kinds(hint), f"--{name.replace('_', '-')}"
    if dict in kinds:
        return dict(name_and_value(option, text) for text in value)
    if hint == list[float]:
        return [_number(option, text) for text in value]
    if bool in kinds and value in ("true", "false"):
        return value == "true"
    return value


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UserError(f"{option} must be a number, got {text!r}") from None


def name_and_value(option: str, text: str) -> tuple[str, Any]:
    """Parses `hidden_dim=256` or `score=dot`. A value that is not JSON is a string.

    Args:
        option: Name of the option, for error messages.
        text: The text to parse.

    Raises:
        UserError: If the name or the value is missing.
    """
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise UserError(f"{option} expects NAME=VALUE, got {text!r}")
    try:
        return name, parse_json(value)
    except ValueError:
        return name, value
