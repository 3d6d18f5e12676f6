"""The fingerprint of data: one digest, by which a resumed run notices that its data changed."""

import dataclasses
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zoo.data.readers.files import is_path
from zoo.tasks.provenance import files_of_data
from zoo.untrusted import sha256

PIECE = 10_000  # rows that are hashed at a time, so that no large copy is made


def fingerprint(
    data: Any, read: Sequence[Path] = (), digest: Callable[[Path], str] = sha256
) -> str | None:
    """The SHA-256 digest of all that data contain, in their order.

    Files count by their content, and those of folders also by their path in the folder, so that
    data may be moved. Of prepared data, it is the digest of the manifest.

    Args:
        data: Data in the form that `fit` takes.
        read: Further files that belong to them, such as the recordings of a table.
        digest: The function from a file to its digest.

    Returns:
        The digest; None without data, or for data in memory of a type that is not known.

    Example:
        >>> one, other = (fingerprint([("a hat", label)]) for label in ("good", "bad"))
        >>> one == fingerprint([["a hat", "good"]]), one == other
        (True, False)
    """
    if data is None:
        return None
    total = hashlib.sha256()
    try:
        for part in _parts(data, read, digest):
            text = json.dumps(part, default=_plain, ensure_ascii=False, sort_keys=True)
            total.update(text.encode("utf-8", "surrogatepass") + b"\0")
    except (TypeError, ValueError, RecursionError):  # of no type that is known
        return None
    for path in read:
        total.update(digest(path).encode())
    return total.hexdigest()


def _parts(data: Any, read: Sequence[Path], digest: Callable[[Path], str]) -> Iterable[Any]:
    """What is hashed, one after the other."""
    if is_path(data):
        for file, given in files_of_data(data, read):
            yield [file.relative_to(given).as_posix(), digest(file)]
    elif isinstance(data, Mapping):
        yield {str(name): fingerprint(each, read, digest) for name, each in data.items()}
    elif isinstance(data, list | tuple):
        for start in range(0, len(data), PIECE):
            yield data[start : start + PIECE]
    else:
        yield data


def _plain(value: Any) -> Any:
    """A value of data in memory as JSON types.

    Raises:
        TypeError: If its type is not known.
    """
    if isinstance(value, os.PathLike):
        return str(value)
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    if dataclasses.is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    array = np.asarray(value)
    if array.dtype.kind == "O":
        if array.shape == ():
            raise TypeError(f"data of the type {type(value).__name__}")
        return array.tolist()
    return [str(array.dtype), array.shape, hashlib.sha256(array.tobytes()).hexdigest()]
