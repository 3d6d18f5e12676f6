"""The names of options in messages: as Python's arguments or, on the command line, as typed."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from zoo.errors import UserError

_typed = False  # whether this program is the command line


@contextmanager
def typed_options() -> Iterator[None]:
    """Names options as they are typed on the command line, in messages of the block.

    Example:
        >>> with typed_options():
        ...     option_name("text_column"), option_value("encoding", "cp1252")
        ('--text-column', '--encoding cp1252')
    """
    global _typed
    before, _typed = _typed, True
    try:
        yield
    finally:
        _typed = before


def option_name(name: str) -> str:
    """The name of an option in a message.

    Args:
        name: Its name in Python.

    Example:
        >>> option_name("text_column")
        'text_column'
    """
    return spelled(name) if _typed else name


def option_value(name: str, value: object) -> str:
    """An option with a value in a message; `True` is that of a flag.

    Example:
        >>> option_value("encoding", "cp1252"), option_value("skip_bad_rows", True)
        ("encoding='cp1252'", 'skip_bad_rows=True')
    """
    if not _typed:
        return f"{name}={value!r}"
    return spelled(name) if value is True else f"{spelled(name)} {value}"


def spelled(name: str) -> str:
    """The command-line option for an argument of the Python API.

    Example:
        >>> spelled("max_new_tokens")
        '--max-new-tokens'
    """
    return "--" + name.replace("_", "-")


def listed_names(given: str, option: str, what: str, reserved: Iterable[str] = ()) -> list[str]:
    """The names of several columns that one option has, with commas between.

    Args:
        given: The value of the option.
        option: The option, for the message.
        what: What the columns have, for the message.
        reserved: Names that belong to other columns.

    Raises:
        UserError: If a name is empty or reserved, or is there twice.

    Example:
        >>> listed_names("price, stars", "value_column", "numbers")
        ['price', 'stars']
    """
    names = [name.strip() for name in given.split(",")]
    if not all(names) or len(set(names)) < len(names) or {*names} & {*reserved}:
        raise UserError(
            f"{option_name(option)} must name different columns of {what}, with commas between; "
            f"got {given!r}"
        )
    return names
