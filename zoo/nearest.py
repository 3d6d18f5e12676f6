"""The names that a message offers in place of an unknown one: the nearest first."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: object, known: Iterable[str]) -> str | None:
    """The known name that is most similar to another one; None if none is.

    Example:
        >>> nearest("num_head", ["depth", "num_heads"]), nearest("colour", ["depth"])
        ('num_heads', None)
    """
    close = get_close_matches(str(name), [*known], n=1)
    return close[0] if close else None


def offered(name: object, known: Iterable[str], listed: str = "") -> str:
    """The end of a message about an unknown name: the nearest one, and all of them.

    Args:
        name: The unknown name.
        known: The names that there are.
        listed: How they are listed; by default with commas between.

    Example:
        >>> offered("num_head", ["depth", "num_heads"])
        'did you mean num_heads? Choose from depth, num_heads'
        >>> offered("colour", ["depth", "num_heads"])
        'choose from depth, num_heads'
    """
    names = [*known]
    listed, close = listed or ", ".join(names), nearest(name, names)
    return f"did you mean {close}? Choose from {listed}" if close else f"choose from {listed}"
