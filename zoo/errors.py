"""Exceptions for errors that the user can correct."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

USER_ERROR = 2  # exit status of the command line
LONGEST = 2000  # characters of a message
LONGEST_REASON = 300  # characters of what a library says
LEFT_OUT = " ... "  # stands for the middle of a longer one


def reason_of(error: BaseException) -> str:
    """The first line of what an error says that is not blank, as the reason in another message.

    Example:
        >>> reason_of(OSError("no HDF5 file\\n(details)")), reason_of(KeyError())
        ('no HDF5 file', 'KeyError()')
    """
    lines = (line.strip() for line in str(error).split("\n"))
    return next(filter(None, lines), repr(error))[:LONGEST_REASON]


def has_errno(error: BaseException, *numbers: int) -> bool:
    """Whether an error has one of some numbers of `errno`.

    Errors of HDF5 and TensorFlow may state it only in their message.

    Example:
        >>> import errno
        >>> has_errno(RuntimeError("x.data: File too large [Op:SaveV2]"), errno.EFBIG)
        True
    """
    return getattr(error, "errno", None) in numbers or any(
        f"errno = {number}," in str(error) or os.strerror(number) in str(error)
        for number in numbers
    )


class UserError(ValueError):
    """An error that the user can correct, such as a wrong option or a missing file.

    The command line prints the message without a traceback, and exits with status 2. A message may
    quote a file of someone else, so it is shortened and made printable.

    Args:
        message: What is wrong, and what was expected or can be done.

    Example:
        >>> raise UserError("runs/en-de contains no config.json: is it a run folder?")
        Traceback (most recent call last):
        ...
        zoo.errors.UserError: runs/en-de contains no config.json: is it a run folder?
    """

    def __init__(self, message: object = ""):
        text = str(message).encode(errors="backslashreplace").decode()
        if len(text) > LONGEST:
            half = (LONGEST - len(LEFT_OUT)) // 2
            text = text[:half] + LEFT_OUT + text[-half:]
        super().__init__(text)


@contextmanager
def damage(path: str | os.PathLike) -> Iterator[None]:
    """Context manager that reports errors in the block as damage to a file of a run folder.

    Example:
        >>> with damage("runs/en-de/config.json"):
        ...     int("4a")
        Traceback (most recent call last):
        ...
        zoo.errors.UserError: runs/en-de/config.json is damaged (invalid literal for int() with base 10: '4a'): restore it, or train again.
    """  # noqa: E501
    try:
        yield
    except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise UserError(
            f"{os.fspath(path)} is damaged ({reason_of(error)}): restore it, or train again."
        ) from None


def missing_package(error: ModuleNotFoundError) -> str | None:
    """Says how to install a package that `zoo` needs; None if a module of this project is missing.

    Args:
        error: What an import raised.

    Example:
        >>> missing_package(ModuleNotFoundError("No module named 'typer'", name="typer"))
        "zoo needs typer, which is not installed: pip install 'keras-attn[zoo]'"
    """
    package = (error.name or "").partition(".")[0]
    if package in ("", "export", "keras_attn", "zoo"):
        return None
    return f"zoo needs {package}, which is not installed: pip install 'keras-attn[zoo]'"


class DiskFull(UserError):
    """A file or folder that was not written because the disk is full.

    Args:
        path: Path of the file or folder.

    Example:
        >>> print(DiskFull("runs/en-de"))
        The disk is full: runs/en-de was not written. Free some space, then try again.
    """

    def __init__(self, path: str | os.PathLike):
        super().__init__(
            f"The disk is full: {os.fspath(path)} was not written. Free some space, then try again."
        )
        self.path = os.fspath(path)

    def __reduce__(self):
        return type(self), (self.path,)


class DataError(UserError):
    """A row of a data set that is not valid. The message is `path:line: reason`.

    Args:
        path: Path of the file.
        line: Number of the line, starting from 1.
        reason: What is wrong, in a few words.

    Example:
        >>> print(DataError("train.tsv", 17, "expected 2 columns, found 1"))
        train.tsv:17: expected 2 columns, found 1
    """

    def __init__(self, path: str | os.PathLike, line: int, reason: str):
        super().__init__(f"{os.fspath(path)}:{line}: {reason}")
        self.path, self.line, self.reason = os.fspath(path), line, reason

    def __reduce__(self):
        return type(self), (self.path, self.line, self.reason)
