"""What a request may ask of the server, and what it is answered if it asks for more."""

from dataclasses import dataclass

TEXT_FACTOR = 8  # bytes of a text for each token


@dataclass(frozen=True)
class Limits:
    """Limits of requests.

    The memory that a request takes follows from what is computed together: shorter rows are padded
    to the longest one, and images are decoded.

    Args:
        body: Bytes of a body.
        rows: Rows of a request.
        length: Size of any other axis of integers, such as token ids; texts may have eight times
            as many bytes.
        values: Integers of an input that are computed together, with the padding of shorter rows;
            there may be eight times as many other numbers, or bytes of texts. Encoded images may
            have `MAX_PIXELS` pixels together.
        seconds: Time for an answer.
        waiting: Rows that wait at a time.
    """

    body: int = 16 * 2**20
    rows: int = 1024
    length: int = 8192
    values: int = 2**20
    seconds: float = 60.0
    waiting: int = 4096


class RequestError(Exception):
    """A request that is refused.

    Args:
        message: What is wrong, in one sentence.
        status: The HTTP status.
    """

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status
