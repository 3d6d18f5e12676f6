"""Options as dataclass fields: validated, documented, and shown on the command line."""

import dataclasses
import os
from collections.abc import Iterable, Mapping
from types import NoneType, UnionType
from typing import Any, Self, get_args, get_origin, get_type_hints

from zoo.errors import UserError
from zoo.option_names import option_name

LARGEST = 2**31  # integers are below it, unless an option has another limit


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
    """A field of an `Options` dataclass.

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
    facts = {
        "help": help,
        "minimum": minimum,
        "above": above,
        "below": below,
        "choices": tuple(choices),
        "group": group,
    }
    if isinstance(default, (list, dict)):
        return dataclasses.field(default_factory=lambda: type(default)(default), metadata=facts)
    return dataclasses.field(default=default, metadata=facts)


@dataclasses.dataclass(kw_only=True)
class Options:
    """Base class of options. The constructor validates the values.

    Example:
        >>> @dataclasses.dataclass(kw_only=True)
        ... class Sizes(Options):
        ...     rows: int = option(3, "Number of rows.", minimum=1)
        >>> Sizes(rows=0)
        Traceback (most recent call last):
        zoo.errors.UserError: rows must be an integer of at least 1, got 0
    """

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for field in dataclasses.fields(self):
            name, value = field.name, getattr(self, field.name)
            setattr(self, name, checked(name, value, hints[name], self.facts(name)))

    @classmethod
    def names(cls) -> list[str]:
        """The names of all options."""
        return [field.name for field in dataclasses.fields(cls)]

    @classmethod
    def facts(cls, name: str) -> Mapping[str, Any]:
        """The arguments of `option` for a field, also if a subclass overrides only the default."""
        fields = (getattr(each, "__dataclass_fields__", {}).get(name) for each in cls.__mro__)
        return next(field.metadata for field in fields if field and field.metadata)

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """The default of each option."""
        return {
            field.name: field.default_factory()
            if field.default_factory is not dataclasses.MISSING
            else field.default
            for field in dataclasses.fields(cls)
        }

    @classmethod
    def of(cls, values: Mapping[str, Any], what: str, also: Iterable[str] = ()) -> Self:
        """Creates options from a mapping.

        Args:
            values: Values by name; the others keep their defaults.
            what: What the options belong to, for error messages.
            also: Names of further options to list in error messages.

        Raises:
            UserError: If a name is unknown or a value is not allowed.
        """
        for name in values:
            if name not in cls.names():
                known = ", ".join([*cls.names(), *also])
                choices = f"; choose from {known}" if known else ""
                raise UserError(f"{what} has no option {name!r}{choices}")
        return cls(**values)

    def values(self) -> dict[str, Any]:
        """All options by name."""
        return {name: getattr(self, name) for name in self.names()}


def checked(name: str, value: Any, wanted: Any, limits: Mapping[str, Any]) -> Any:
    """Validates a value. Tuples become lists and paths become strings, since JSON has neither.

    Args:
        name: Name of the option.
        value: The value.
        wanted: The type annotation of the option.
        limits: `minimum`, `above`, `below` and `choices`; see `option`.

    Raises:
        UserError: If the value has another type or is out of range.
    """
    types = get_args(wanted) if get_origin(wanted) is UnionType else (wanted,)
    if (value is None and NoneType in types) or Any in types:
        return value
    if isinstance(value, tuple):
        value = list(value)
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    kinds = [get_origin(each) or each for each in types if each is not NoneType]
    if type(value) is int and kinds == [int] and limits["below"] is None and value >= LARGEST:
        raise UserError(f"{option_name(name)} must be below {LARGEST:,}, got {value!r:.40}")
    if not _has_type(value, kinds) or not _in_range(value, limits):
        raise UserError(f"{option_name(name)} must be {_expected(kinds, limits)}, got {value!r}")
    return value


def _has_type(value: Any, kinds: list[Any]) -> bool:
    if type(value) is int and float in kinds:
        return True
    return type(value) in kinds or (isinstance(value, Mapping) and dict in kinds)


def _in_range(value: Any, limits: Mapping[str, Any]) -> bool:
    if isinstance(value, str):
        return not limits["choices"] or value in limits["choices"]
    if type(value) not in (int, float):
        return True
    low, above, high = limits["minimum"], limits["above"], limits["below"]
    return bool(
        value == value
        and (low is None or value >= low)
        and (above is None or value > above)
        and (high is None or value < high)
    )


def _expected(kinds: list[Any], limits: Mapping[str, Any]) -> str:
    """The expected type and range, for error messages."""
    words = {
        int: "an integer",
        float: "a number",
        str: f"one of {', '.join(limits['choices'])}" if limits["choices"] else "a string",
        bool: "true or false",
        list: "a list",
        dict: "a dictionary",
    }
    found = " or ".join(words.get(kind, str(kind)) for kind in kinds)
    bounds = {"minimum": "of at least", "above": "above", "below": "below"}
    parts = [f"{word} {limits[key]}" for key, word in bounds.items() if limits[key] is not None]
    return " ".join([found, " and ".join(parts)]).strip()
