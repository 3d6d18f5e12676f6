"""The limits of requests, and the errors for those that ask for more."""

from dataclasses import dataclass

TEXT_FACTOR = 8  # bytes of a text for each token
TOO_LARGE = 413  # the HTTP status "Content Too Large"
MAX_IDS = 2048  # of a row, if it is not known for which length a model was trained


@dataclass(frozen=True)
class RequestLimits:
    """Limits of requests.

    The memory that a request takes follows from what is computed together: shorter rows are padded
    to the longest one, and images are decoded.

    Args:
        body: Bytes of a body.
        rows: Rows of a request.
        length: Size of any other axis of integers, such as the edges of a graph; texts may have
            eight times as many bytes.
        ids: Token ids of a row. None for the length that a model was trained for, or `MAX_IDS`.
        values: Integers of an input that are computed together, with the padding of shorter rows;
            there may be eight times as many other numbers, or bytes of texts. Encoded images may
            have `MAX_PIXELS` pixels together.
        answer: Numbers and texts of an answer, such as those of all attention maps of its rows.
        seconds: Time for an answer.
        waiting: Rows that wait at a time.
    """

    body: int = 16 * 2**20
    rows: int = 1024
    length: int = 8192
    ids: int | None = None
    values: int = 2**20
    answer: int = 2**22
    seconds: float = 60.0
    waiting: int = 4096

    def ids_of(self, trained: int | None) -> int:
        """The largest number of token ids of a row.

        Args:
            trained: The length that the model was trained for, if it is known.

        Example:
            >>> limits = RequestLimits()
            >>> limits.ids_of(128), limits.ids_of(None), RequestLimits(ids=9).ids_of(128)
            (128, 2048, 9)
        """
        return self.ids or min(trained or MAX_IDS, self.length)


class RequestError(Exception):
    """A request that is refused.

    Args:
        message: What is wrong, in one sentence.
        status: The HTTP status.
    """

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class BeyondLimit(RequestError):
    """A request that asks for more than a limit of the server allows, with the status 413.

    Args:
        message: What is too much, in one sentence.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, TOO_LARGE)
