"""Lines of a UTF-8 file."""

import pathlib
from collections.abc import Iterator

from zoo.errors import DataError, UserError


def read_lines(path: pathlib.Path) -> Iterator[str]:
    """The lines with their ends, split at newlines only; a byte order mark is ignored.

    Raises:
        DataError: at the first line that is not UTF-8.
        UserError: if the file is missing or cannot be read.
    """
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    yield line.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    byte = line[error.start]
                    reason = f"byte 0x{byte:02x} at column {error.start + 1} is not UTF-8"
                    raise DataError(path, number, reason) from None
    except FileNotFoundError:
        raise UserError(f"{path} does not exist") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
