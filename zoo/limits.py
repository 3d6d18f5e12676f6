"""Validation of options: their types, and limits that stand beside them."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from zoo.errors import UserError

LARGEST = 2**31  # integers are below it, unless an option has another limit
WORDS = {
    int: "an integer",
    float: "a number",
    str: "a string",
    bool: "true or false",
    list: "a list",
    Sequence: "a list",
    dict: "a dictionary",
}


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of an option, as an argument of `Annotated`, or in the metadata of `option`.

    Args:
        minimum: The smallest value allowed.
        above: Values must be greater than this.
        below: Values must be smaller than this.
        choices: The allowed strings, or none if any string is allowed.

    Example:
        >>> check("dropout", 1.5, Annotated[float, Limits(minimum=0, below=1)])
        Traceback (most recent call last):
        zoo.errors.UserError: dropout must be a number of at least 0 and below 1, got 1.5
    """

    minimum: float | None = None
    above: float | None = None
    below: float | None = None
    choices: tuple[str, ...] = ()

    def allow(self, value: Any) -> bool:
        """Whether a value of the right type is within the limits."""
        if isinstance(value, str):
            return not self.choices or value in self.choices
        if type(value) not in (int, float):
            return True
        return bool(
            value == value
            and (self.minimum is None or value >= self.minimum)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )

    def describe(self, kinds: Sequence[Any]) -> str:
        """Types within the limits, in words."""
        words = {**WORDS, str: f"one of {', '.join(self.choices)}"} if self.choices else WORDS
        types = " or ".join(words.get(kind, str(kind)) for kind in kinds)
        bounds = (("of at least", self.minimum), ("above", self.above), ("below", self.below))
        parts = [f"{word} {bound}" for word, bound in bounds if bound is not None]
        return " ".join([types, " and ".join(parts)]).strip()


def check(name: str, value: Any, annotation: Any, limits: Limits | None = None) -> Any:
    """Validates a value. Tuples become lists and paths become strings, since JSON has neither.

    Args:
        name: Name of the option in messages.
        value: The value.
        annotation: The type annotation of the option.
        limits: Its limits. Defaults to those in the annotation.

    Returns:
        The value.

    Raises:
        UserError: If the value has another type or is out of range.
    """
    types, stated = _parts(annotation)
    limits = limits or next(iter(stated), Limits())
    if (value is None and NoneType in types) or Any in types:
        return value
    if isinstance(value, tuple):
        value = list(value)
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    kinds = [get_origin(each) or each for each in types if each is not NoneType]
    if type(value) is int and kinds == [int] and limits.below is None and value >= LARGEST:
        raise UserError(f"{name} must be below {LARGEST:,}, got {value!r:.40}")
    if not _has_type(value, kinds) or not limits.allow(value):
        raise UserError(f"{name} must be {limits.describe(kinds)}, got {value!r}")
    return value


def _parts(annotation: Any) -> tuple[list[Any], list[Limits]]:
    """The types of a union, without metadata, and the limits in the metadata."""
    origin = get_origin(annotation)
    if origin is Annotated:
        plain, *metadata = get_args(annotation)
        types, limits = _parts(plain)
        return types, [*limits, *(each for each in metadata if isinstance(each, Limits))]
    if origin not in (UnionType, Union):
        return [annotation], []
    members = [_parts(each) for each in get_args(annotation)]
    return [x for types, _ in members for x in types], [x for _, given in members for x in given]


def _has_type(value: Any, kinds: Sequence[Any]) -> bool:
    if type(value) is int and float in kinds:
        return True
    if isinstance(value, Mapping) and dict in kinds:
        return True
    return type(value) in kinds or (isinstance(value, list) and Sequence in kinds)
