"""The check that everything that a GGUF file declares lies within the file.

The package `gguf` reads what a file declares without looking whether it is there.
"""

import struct
from pathlib import Path
from typing import BinaryIO

MAGIC, VERSIONS = b"GGUF", (2, 3)
STRING, ARRAY = 8, 9
# Bytes of each type of a number.
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
MAX_NAME, MAX_AXES = 65_535, 4


def check_bounds(path: Path) -> None:
    """Checks the header of a file: counts, strings, arrays and offsets.

    Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.

    Args:
        path: The file.

    Raises:
        ValueError: If it is no GGUF file of version 2 or 3, of this byte order, or something is not
            within the file.
    """
    with path.open("rb") as file:
        header = _Header(file, path.stat().st_size)
        if file.read(len(MAGIC)) != MAGIC:
            raise ValueError("it does not begin with GGUF")
        if header.number("<I") not in VERSIONS:
            raise ValueError("it does not have the version 2 or 3, or is big-endian")
        tensors, fields = header.count(24), header.count(12)
        for _ in range(fields):
            header.skip_string(MAX_NAME)
            header.skip_value(header.number("<I"))
        for _ in range(tensors):
            header.skip_string(MAX_NAME)
            axes = header.number("<I")
            if axes > MAX_AXES:
                raise ValueError(f"a tensor has {axes} axes")
            sizes = [header.number("<Q") for _ in range(axes)]
            header.number("<I")
            offset = header.number("<Q")
            if offset > header.size or any(size > 8 * header.size for size in sizes):
                raise ValueError("a tensor is not within the file")


class _Header:
    """A file, read from its start."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self.size = file, size

    def number(self, layout: str) -> int:
        content = self._file.read(struct.calcsize(layout))
        if len(content) < struct.calcsize(layout):
            raise ValueError("it ends in its header")
        return int(struct.unpack(layout, content)[0])

    def count(self, least: int) -> int:
        """A number of things that take at least so many bytes each."""
        number = self.number("<Q")
        if number * least > self.size:
            raise ValueError(f"it declares {number} things, more than it has room for")
        return number

    def skip(self, size: int) -> None:
        if size > self.size - self._file.tell():
            raise ValueError("it ends in its header")
        self._file.seek(size, 1)

    def skip_string(self, longest: int | None = None) -> None:
        size = self.count(1)
        if longest is not None and size > longest:
            raise ValueError(f"a name has {size} bytes")
        self.skip(size)

    def skip_value(self, kind: int) -> None:
        if kind == STRING:
            self.skip_string()
        elif kind == ARRAY:
            of, length = self.number("<I"), self.count(1)
            if of == STRING:
                for _ in range(length):
                    self.skip_string()
            else:
                self.skip(length * _size(of))
        else:
            self.skip(_size(kind))


def _size(kind: int) -> int:
    if kind not in SIZES:
        raise ValueError(f"a field has the type {kind}, which is not supported")
    return SIZES[kind]
