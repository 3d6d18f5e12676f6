"""JSON that may come from someone else: of regular files, not too long or deep, of one type."""

import json
import re
from pathlib import Path
from typing import Any, TypeVar

from zoo.atomic import replacing
from zoo.data.readers.encodings import encoding_of
from zoo.untrusted import read_regular

T = TypeVar("T", dict, list)

LARGEST = 1 << 28  # bytes of a file; those of vocabularies are the largest
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # an escape, which may lack its other half
LONGEST_INTEGER = 300  # digits; those of the greatest float are 309
NAMES = {dict: "an object", list: "a list"}


def parse_json(text: str) -> Any:
    """The value of JSON text.

    Raises:
        ValueError: If it is not JSON, is nested too deeply, has an integer of more than 300 digits,
            or text that is not Unicode.

    Example:
        >>> parse_json("[" * 100_000)
        Traceback (most recent call last):
        ...
        ValueError: it is nested too deeply
    """
    try:
        value = json.loads(text, parse_int=_integer)
        if SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("it has half of a surrogate pair, which is no character") from None
    return value


def _integer(digits: str) -> int:
    """An integer that a float can hold, too."""
    if len(digits) > LONGEST_INTEGER:
        raise ValueError(f"it has a number of {len(digits)} digits")
    return int(digits)


def read_json(path: Path, kind: type[T]) -> T:
    """The value of a JSON file, in UTF-8 or the encoding of its byte order mark.

    Args:
        path: Path of the file. A pipe or a device, which may have no end, is refused.
        kind: The type that the value must have.

    Raises:
        OSError: If the file is missing or cannot be read.
        ValueError: If it is not a regular file, is too large, is not JSON, or has another value.
            The message is the reason, without the path.
    """
    content = read_regular(path, LARGEST)
    mark, encoding = encoding_of(content)
    value = parse_json(content[len(mark) :].decode(encoding))
    if not isinstance(value, kind):
        raise ValueError(f"expected {NAMES[kind]}, got {type(value).__name__}")
    return value


def write_json(path: Path, content: dict[str, Any] | list[Any]) -> None:
    """Writes a JSON file in one step, and its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as partial:
        partial.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", "utf-8")
