"""Options as dataclass fields: validated, documented, and shown on the command line."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Protocol, TypeVar, get_type_hints

from zoo.errors import UserError
from zoo.limits import Limits, check
from zoo.nearest import offered
from zoo.option_names import option_name


class Options(Protocol):
    """A dataclass, whose fields `option` makes. One may have others as bases, to list theirs."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]


Kind = TypeVar("Kind", bound=Options)


def option(
    default: Any,
    help: str,
    *,
    minimum: float | None = None,
    above: float | None = None,
    below: float | None = None,
    choices: Iterable[str] = (),
    group: str = "",
) -> Any:
    """A field of a dataclass of options.

    Args:
        default: The default value.
        help: What the option does, in one sentence, for the help of the command line and of the
            class. It may end with the default ("Default: 10."); otherwise the default is added.
        minimum: The smallest value allowed.
        above: Values must be greater than this.
        below: Values must be smaller than this.
        choices: The allowed strings, or none if any string is allowed.
        group: Title of the panel of `--help` that shows the option.
    """
    limits = Limits(minimum=minimum, above=above, below=below, choices=tuple(choices))
    facts = {"help": help, "limits": limits, "group": group}
    if isinstance(default, (list, dict)):
        return dataclasses.field(default_factory=lambda: type(default)(default), metadata=facts)
    return dataclasses.field(default=default, metadata=facts)


@dataclasses.dataclass(kw_only=True)
class NoOptions:
    """Options of what has none."""


def options_of(
    kind: type[Kind], values: Mapping[str, Any], what: str = "", also: Iterable[str] = ()
) -> Kind:
    """Options with the given values, validated.

    Args:
        kind: The dataclass of options.
        values: Values by name; the others keep their defaults.
        what: What the options belong to, for error messages.
        also: Names of further options to list in error messages.

    Raises:
        UserError: If a name is unknown or a value is not allowed.

    Example:
        >>> @dataclasses.dataclass(kw_only=True)
        ... class Sizes:
        ...     rows: int = option(3, "Number of rows.", minimum=1)
        >>> options_of(Sizes, {"rows": 0})
        Traceback (most recent call last):
        zoo.errors.UserError: rows must be an integer of at least 1, got 0
    """
    names, hints = names_of(kind), get_type_hints(kind)
    for name in values:
        if name not in names:
            known = [*names, *also]
            hint = f"; {offered(name, known)}" if known else ""
            raise UserError(f"{what} has no option {name!r}{hint}")
    given = {**defaults_of(kind), **values}
    return kind(
        **{
            name: check(option_name(name), value, hints[name], facts_of(kind, name)["limits"])
            for name, value in given.items()
        }
    )


def names_of(kind: type[Options]) -> list[str]:
    """The names of all options."""
    return [field.name for field in dataclasses.fields(kind)]


def facts_of(kind: type[Options], name: str) -> Mapping[str, Any]:
    """Help, limits and group of an option, also if a subclass overrides only the default."""
    fields = (vars(each).get("__dataclass_fields__", {}).get(name) for each in kind.__mro__)
    return next(field.metadata for field in fields if field and field.metadata)


def defaults_of(kind: type[Options]) -> dict[str, Any]:
    """The default of each option."""
    return {
        field.name: field.default_factory()
        if field.default_factory is not dataclasses.MISSING
        else field.default
        for field in dataclasses.fields(kind)
    }


def values_of(options: Options) -> dict[str, Any]:
    """All options by name."""
    return {name: getattr(options, name) for name in names_of(type(options))}
