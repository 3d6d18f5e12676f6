"""What to raise when the user, not the program, has to act."""

import os


class UserError(ValueError):
    """A mistake the user can correct: one sentence, no traceback.

    The command line prints the message and exits with status 2.

    Example:
        >>> raise UserError("runs/en-de holds no config.json: is it a run folder?")
        Traceback (most recent call last):
        ...
        zoo.errors.UserError: runs/en-de holds no config.json: is it a run folder?
    """


class DataError(UserError):
    """A row of a data file that cannot be used: `path:line: reason`.

    Args:
        path: the file.
        line: the number of the line, counted from 1, as editors do.
        reason: what is wrong with it, in a few words.

    Example:
        >>> print(DataError("train.tsv", 17, "expected 2 columns, found 1"))
        train.tsv:17: expected 2 columns, found 1
    """

    def __init__(self, path: str | os.PathLike, line: int, reason: str):
        super().__init__(f"{os.fspath(path)}:{line}: {reason}")
        self.path, self.line, self.reason = os.fspath(path), line, reason

    def __reduce__(self):
        return type(self), (self.path, self.line, self.reason)
