"""Options as dataclass fields: validated, documented, and shown on the command line."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, Self, get_type_hints

from zoo.errors import UserError
from zoo.limits import Limits, check
from zoo.option_names import option_name


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
    limits = Limits(minimum=minimum, above=above, below=below, choices=tuple(choices))
    facts = {"help": help, "limits": limits, "group": group}
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
            limits = self.facts(name)["limits"]
            setattr(self, name, check(option_name(name), value, hints[name], limits))

    @classmethod
    def names(cls) -> list[str]:
        """The names of all options."""
        return [field.name for field in dataclasses.fields(cls)]

    @classmethod
    def facts(cls, name: str) -> Mapping[str, Any]:
        """Help, limits and group of a field, also if a subclass overrides only the default."""
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
